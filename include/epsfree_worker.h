/* A worker for epsfree in C or C++: this one header, without a library.
 *
 *   #include "epsfree_worker.h"
 *   static int simulate(const double* theta, uint64_t seed, double* x, void* user) {
 *     x[0] = ...;
 *     return EPSFREE_OK;
 *   }
 *   int main(void) { return epsfree_worker_run(2, 1, simulate, NULL); }
 *
 * The program then reads simulations to do from standard input and answers on standard output, one
 * line of JSON each (docs/worker-protocol.md). What the simulator itself prints goes to standard
 * error, and it finds its standard input empty. In C++ an exception is a failed simulation.
 */
#ifndef EPSFREE_WORKER_H
#define EPSFREE_WORKER_H

#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __cplusplus
#include <exception>
#endif

#define EPSFREE_WORKER_PROTOCOL 1

enum {
  EPSFREE_OK = 0,
  EPSFREE_INVALID = 1 /* nothing can come of this theta; as are NaN and Inf in x. Others: failed. */
};

/* Turns theta and 64 bits of randomness into statistics x. */
typedef int (*epsfree_simulate_function)(const double* theta, uint64_t seed, double* x, void* user);

/* The rest of the file is not for callers. */

typedef struct {
  int in, out;
  char* line; /* what was read */
  size_t size, used, taken;
  char* text; /* what is to be written */
  size_t text_size, text_used;
} epsfree_worker_state;

static inline void epsfree_worker_stop(const char* why) {
  fprintf(stderr, "epsfree_worker.h: %s\n", why);
  exit(1);
}

static inline char* epsfree_worker_grow(char* memory, size_t* size, size_t needed) {
  if (needed <= *size) return memory;
  *size = needed * 2;
  memory = (char*)realloc(memory, *size);
  if (memory == NULL) epsfree_worker_stop("out of memory");
  return memory;
}

static inline void epsfree_worker_put(epsfree_worker_state* s, const char* text, size_t length) {
  s->text = epsfree_worker_grow(s->text, &s->text_size, s->text_used + length);
  memcpy(s->text + s->text_used, text, length);
  s->text_used += length;
}

static inline void epsfree_worker_put_text(epsfree_worker_state* s, const char* text) {
  epsfree_worker_put(s, text, strlen(text));
}

/* Seventeen digits read back as the same double. */
static inline void epsfree_worker_put_number(epsfree_worker_state* s, double value) {
  char buffer[40];
  int i, length;
  if (!isfinite(value)) {
    epsfree_worker_put_text(s, "null");
    return;
  }
  length = snprintf(buffer, sizeof(buffer), "%.17g", value);
  for (i = 0; i < length; ++i) {
    if (buffer[i] == ',') buffer[i] = '.'; /* some languages' decimal point */
  }
  epsfree_worker_put(s, buffer, (size_t)length);
}

static inline void epsfree_worker_put_string(epsfree_worker_state* s, const char* text) {
  char buffer[8];
  epsfree_worker_put_text(s, "\"");
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20) {
      const int length =
          snprintf(buffer, sizeof(buffer), "\\u%04x", (unsigned)(unsigned char)*text);
      epsfree_worker_put(s, buffer, (size_t)length);
    } else {
      epsfree_worker_put(s, text, 1);
    }
  }
  epsfree_worker_put_text(s, "\"");
}

static inline void epsfree_worker_flush(epsfree_worker_state* s) {
  size_t done = 0;
  while (done < s->text_used) {
    const ssize_t written = write(s->out, s->text + done, s->text_used - done);
    if (written <= 0) exit(0); /* nobody listens any more */
    done += (size_t)written;
  }
  s->text_used = 0;
}

/* The next line, ending with 0; NULL: there is none. */
static inline char* epsfree_worker_line(epsfree_worker_state* s) {
  for (;;) {
    char* begin = s->line + s->taken;
    char* end = s->used > s->taken ? (char*)memchr(begin, '\n', s->used - s->taken) : NULL;
    ssize_t size;
    if (end != NULL) {
      *end = '\0';
      s->taken = (size_t)(end - s->line) + 1;
      return begin;
    }
    if (s->taken > 0) memmove(s->line, begin, s->used - s->taken);
    s->used -= s->taken;
    s->taken = 0;
    s->line = epsfree_worker_grow(s->line, &s->size, s->used + 65536);
    size = read(s->in, s->line + s->used, s->size - s->used);
    if (size <= 0) return NULL;
    s->used += (size_t)size;
  }
}

/* Reads id, seed and theta. epsfree writes them in this form and no other. */
static inline int epsfree_worker_parse(char* line, long long* id, uint64_t* seed, double* theta,
                                       int num_parameters) {
  const char point = localeconv()->decimal_point[0];
  char* at;
  int i;
  if (strncmp(line, "{\"id\":", 6) != 0) return 0;
  *id = strtoll(line + 6, &at, 10);
  if (strncmp(at, ",\"seed\":\"", 9) != 0) return 0;
  *seed = strtoull(at + 9, &at, 10);
  if (strncmp(at, "\",\"theta\":[", 11) != 0) return 0;
  at += 11;
  if (point != '.') {
    char* c;
    for (c = at; *c != '\0'; ++c) {
      if (*c == '.')
        *c = point;
      else if (*c == ',')
        *c = ' ';
    }
  }
  for (i = 0; i < num_parameters; ++i) {
    char* end;
    theta[i] = strtod(at, &end);
    if (end == at) return 0;
    at = end;
    if (*at == ',' && i + 1 < num_parameters) ++at;
  }
  return *at == ']';
}

static inline void epsfree_worker_answer(epsfree_worker_state* s,
                                         epsfree_simulate_function simulate, const double* theta,
                                         uint64_t seed, double* x, int num_statistics, void* user) {
  char buffer[64];
  int i, result;
#ifdef __cplusplus
  try {
    result = simulate(theta, seed, x, user);
  } catch (const std::exception& exception) {
    epsfree_worker_put_text(s, ",\"error\":");
    epsfree_worker_put_string(s, exception.what());
    return;
  } catch (...) {
    epsfree_worker_put_text(s, ",\"error\":\"an exception that is not a std::exception\"");
    return;
  }
#else
  result = simulate(theta, seed, x, user);
#endif
  if (result == EPSFREE_INVALID) {
    epsfree_worker_put_text(s, ",\"invalid\":true");
  } else if (result != EPSFREE_OK) {
    const int length =
        snprintf(buffer, sizeof(buffer), ",\"error\":\"the simulator returned %d\"", result);
    epsfree_worker_put(s, buffer, (size_t)length);
  } else {
    epsfree_worker_put_text(s, ",\"x\":[");
    for (i = 0; i < num_statistics; ++i) {
      if (i > 0) epsfree_worker_put_text(s, ",");
      epsfree_worker_put_number(s, x[i]);
    }
    epsfree_worker_put_text(s, "]");
  }
}

/* Answers requests until there are no more. Returns main's result. */
static inline int epsfree_worker_run(int num_parameters, int num_statistics,
                                     epsfree_simulate_function simulate, void* user) {
  epsfree_worker_state s;
  double* theta = (double*)calloc((size_t)num_parameters + 1, sizeof(double));
  double* x = (double*)calloc((size_t)num_statistics + 1, sizeof(double));
  char buffer[160];
  char* line;
  int nothing, length;
  memset(&s, 0, sizeof(s));
  if (theta == NULL || x == NULL) epsfree_worker_stop("out of memory");
  fflush(stdout);
  s.in = fcntl(0, F_DUPFD_CLOEXEC, 3);
  s.out = fcntl(1, F_DUPFD_CLOEXEC, 3);
  nothing = open("/dev/null", O_RDONLY);
  if (s.in < 0 || s.out < 0 || nothing < 0) epsfree_worker_stop("cannot take the streams over");
  dup2(nothing, 0);
  dup2(2, 1);
  close(nothing);
  s.line = epsfree_worker_grow(s.line, &s.size, 65536);

  length = snprintf(buffer, sizeof(buffer),
                    "{\"epsfree_worker\":%d,\"num_parameters\":%d,\"num_statistics\":%d}\n",
                    EPSFREE_WORKER_PROTOCOL, num_parameters, num_statistics);
  epsfree_worker_put(&s, buffer, (size_t)length);
  epsfree_worker_flush(&s);
  while ((line = epsfree_worker_line(&s)) != NULL) {
    long long id;
    uint64_t seed;
    if (!epsfree_worker_parse(line, &id, &seed, theta, num_parameters)) {
      epsfree_worker_stop("a request could not be understood");
    }
    length = snprintf(buffer, sizeof(buffer), "{\"id\":%lld", id);
    epsfree_worker_put(&s, buffer, (size_t)length);
    epsfree_worker_answer(&s, simulate, theta, seed, x, num_statistics, user);
    epsfree_worker_put_text(&s, "}\n");
    epsfree_worker_flush(&s);
  }
  free(s.line);
  free(s.text);
  free(theta);
  free(x);
  return 0;
}

#endif
