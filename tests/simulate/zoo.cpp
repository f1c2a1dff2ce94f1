// Simulators that misbehave, for the tests: `zoo MODE ...`.
//
// As a command: zoo MODE SEED THETA1 THETA2. As a worker: zoo worker MODE [FILE].
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "epsfree_worker.h"
#include "toy_simulator.h"

namespace {

void hang() {
  for (;;) ::pause();
}

[[noreturn]] void crash() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
  std::abort();
}

void flood(int fd, std::size_t size) {
  const std::string line = std::string(99, 'e') + "\n";
  for (std::size_t done = 0; done < size; done += line.size()) {
    if (::write(fd, line.data(), line.size()) < 0) return;
  }
}

/// Takes this many megabytes and writes to each page. False: the system refused some of them.
bool take_memory(std::size_t megabytes) {
  std::vector<char*> blocks;
  for (std::size_t i = 0; i < megabytes; ++i) {
    auto* block = static_cast<char*>(std::malloc(1000000));
    if (block == nullptr) {
      std::fprintf(stderr, "out of memory after %zu MB\n", i);
      return false;
    }
    std::memset(block, 1, 1000000);
    blocks.push_back(block);
  }
  for (char* block : blocks) std::free(block);
  return true;
}

/// Leaves a process behind that ends for nothing but SIGKILL, and waits until it is so.
void leave_grandchild(bool own_session, bool keep_pipes) {
  int ready[2];
  if (::pipe(ready) != 0) std::abort();
  if (::fork() != 0) {
    char c;
    ::close(ready[1]);
    if (::read(ready[0], &c, 1) < 0) std::abort();
    ::close(ready[0]);
    return;
  }
  if (own_session) ::setsid();
  if (!keep_pipes) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
  }
  ::signal(SIGTERM, SIG_IGN);
  for (const int fd : ready) ::close(fd);
  hang();
}

void print(const double* x, int count) {
  for (int i = 0; i < count; ++i) std::printf("%.17g\n", x[i]);
  std::fflush(stdout);
}

int command(const std::string& mode, int argc, char** argv) {
  double theta[TOY_PARAMETERS] = {0, 0}, x[TOY_STATISTICS];
  std::uint64_t seed = 0;
  if (argc > 2) seed = std::strtoull(argv[2], nullptr, 10);
  for (int i = 0; i < TOY_PARAMETERS && i + 3 < argc; ++i) theta[i] = std::atof(argv[i + 3]);
  toy_simulate(theta, seed, x);
  if (mode == "segfault") crash();
  if (mode == "exit3") {
    std::fprintf(stderr, "the mesh is too coarse\n");
    return 3;
  }
  if (mode == "allocate" && !take_memory(200)) return 1;
  if (mode == "nan") {
    std::puts("1 NaN 2");
    return 0;
  }
  if (mode == "inf") {
    std::puts("[1, -Infinity, 2]");
    return 0;
  }
  if (mode == "short") {
    print(x, 2);
    return 0;
  }
  if (mode == "garbage") {
    std::puts("1 2 three");
    return 0;
  }
  if (mode == "flood-stderr") flood(2, 10 << 20);
  if (mode == "flood-stdout") {
    for (;;) flood(1, 1 << 20);
  }
  if (mode == "close-pipes") {
    for (int fd = 0; fd < 3; ++fd) ::close(fd);
    hang();
  }
  if (mode == "hang") hang();
  if (mode == "hang-in-group") {
    leave_grandchild(false, true);
    leave_grandchild(true, true);
    hang();
  }
  if (mode == "daemon") {  // its parent has ended, but not the simulation
    const pid_t between = ::fork();
    if (between == 0) {
      leave_grandchild(true, true);
      ::_exit(0);
    }
    ::waitpid(between, nullptr, 0);
    hang();
  }
  if (mode == "ignore-term") {
    ::signal(SIGTERM, SIG_IGN);
    hang();
  }
  if (mode == "on-term-fine") {  // what it prints when it is told to end must not count
    static const auto handler = [](int) {
      const ssize_t written = ::write(1, "1 2 3\n", 6);
      ::_exit(written == 6 ? 0 : 1);
    };
    ::signal(SIGTERM, handler);
    hang();
  }
  if (mode == "grandchild") leave_grandchild(false, true);
  if (mode == "grandchild-setsid") leave_grandchild(true, false);
  if (mode == "grandchild-setsid-pipes") leave_grandchild(true, true);
  if (mode == "litter") {  // in its working directory
    if (std::system("mkdir -p a/b && echo x > a/b/c && echo y > d && ln -s / e") != 0) return 4;
  }
  if (mode == "no-file") return 0;
  if (mode == "file") {
    FILE* file = std::fopen(argv[5], "w");
    for (const double value : x) std::fprintf(file, "%.17g,", value);
    std::fclose(file);
    std::puts("words on standard output");
    return 0;
  }
  if (mode == "environment") {
    std::printf("%s 2 3\n", std::getenv("EPSFREE_TEST_VALUE"));
    return 0;
  }
  if (mode == "descriptors") {  // how many are open; standard input at its end; directory empty
    int count = 0;
    for (int fd = 0; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) != -1;
    char c;
    std::printf("%d %d ", count, static_cast<int>(::read(0, &c, 1)));
    std::fflush(stdout);
    return std::system("ls | wc -l");
  }
  if (mode == "signals") {  // blocked or ignored ones
    sigset_t blocked;
    ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
    int count = 0, ignored = 0;
    for (int i = 1; i < 32; ++i) {
      struct sigaction action {};
      count += sigismember(&blocked, i) == 1;
      ::sigaction(i, nullptr, &action);
      ignored += action.sa_handler == SIG_IGN;
    }
    std::printf("%d %d %d\n", count, ignored, ::getpgrp() == ::getpid() ? 1 : 0);
    return 0;
  }
  print(x, TOY_STATISTICS);
  return 0;
}

void say(const std::string& text) {
  if (::write(1, text.data(), text.size()) < 0) std::exit(1);
}

std::string answer(long long id, const double* x, int count) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "{\"id\":%lld,\"x\":[", id);
  std::string text = buffer;
  for (int i = 0; i < count; ++i) {
    std::snprintf(buffer, sizeof(buffer), "%s%.17g", i > 0 ? "," : "", x[i]);
    text += buffer;
  }
  return text + "]}\n";
}

/// Whether this is the first process to come here.
bool first_time(const char* file) { return ::open(file, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0; }

int shim(const double* theta, std::uint64_t seed, double* x, void* user) {
  const std::string& mode = *static_cast<const std::string*>(user);
  toy_simulate(theta, seed, x);
  if (mode == "shim-prints") {
    std::printf("{\"id\":1,\"x\":[0,0,0]}\n");
    std::fflush(stdout);
    say("words\n");
  }
  if (mode == "shim-throws" && theta[0] < 0) throw std::string("thrown");
  if (mode == "shim-nan" && theta[0] < 0) x[1] = NAN;
  if (theta[0] < -1) return 7;
  return mode == "shim-invalid" && theta[0] < 0 ? EPSFREE_INVALID : EPSFREE_OK;
}

int worker(std::string mode, int argc, char** argv) {
  if (mode.rfind("shim", 0) == 0) {
    return epsfree_worker_run(TOY_PARAMETERS, TOY_STATISTICS, shim, &mode);
  }
  if (mode == "no-hello") hang();
  if (mode == "exit-at-once") {
    std::fprintf(stderr, "no licence\n");
    return 5;
  }
  if (mode == "hello-garbage") say("hello world\n");
  if (mode == "hello-version") say("{\"epsfree_worker\":2}\n");
  if (mode == "hello-dimensions")
    say("{\"epsfree_worker\":1,\"num_parameters\":2,\"num_statistics\":7}\n");
  say("{\"epsfree_worker\":1,\"name\":{\"a\":[1,\"}\"]},\"batch\":16}\n");
  if (mode == "ignore-term" || mode == "stays") ::signal(SIGTERM, SIG_IGN);
  if (mode == "close-after-hello") {
    ::close(0);
    ::close(1);
    hang();
  }
  if (mode == "unasked") say("{\"id\":1,\"x\":[1,2,3]}\n");
  std::vector<char> line(65536);
  while (std::fgets(line.data(), static_cast<int>(line.size()), stdin) != nullptr) {
    long long id = 0;
    std::uint64_t seed = 0;
    double theta[TOY_PARAMETERS], x[TOY_STATISTICS];
    if (line[std::strlen(line.data()) - 1] == '\n') line[std::strlen(line.data()) - 1] = '\0';
    if (epsfree_worker_parse(line.data(), &id, &seed, theta, TOY_PARAMETERS) == 0) return 9;
    toy_simulate(theta, seed, x);
    const std::string good = answer(id, x, TOY_STATISTICS);
    const bool bad = theta[0] < 0;  // else it behaves
    if (mode == "flood-stderr") flood(2, 10 << 20);
    if (mode == "twice") say(good);
    if (bad && mode == "dies-once" && argc > 3 && first_time(argv[3])) crash();
    if (bad && mode == "segfault") crash();
    if (bad && mode == "exit3") {
      std::fprintf(stderr, "the mesh is too coarse\n");
      return 3;
    }
    if (bad && mode == "exit0") return 0;
    if (bad && mode == "allocate" && !take_memory(200)) return 1;
    if (bad && mode == "nan") x[1] = NAN;
    if (bad && mode == "nan") {
      say("{\"id\":" + std::to_string(id) + ",\"x\":[1,NaN,-Infinity]}\n");
      continue;
    }
    if (bad && mode == "short") {
      say(answer(id, x, 2));
      continue;
    }
    if (bad && mode == "garbage") {
      say("[1,2,3]\n");
      continue;
    }
    if (bad && mode == "half-line") {
      say(good.substr(0, good.size() / 2));
      hang();
    }
    if (bad && mode == "half-line-exit") {
      say(good.substr(0, good.size() / 2));
      return 0;
    }
    if (bad && mode == "endless-line") {
      for (;;) say(std::string(4096, '1'));
    }
    if (bad && mode == "other-id") {
      say(answer(id + 1000, x, TOY_STATISTICS));
      continue;
    }
    if (bad && (mode == "hang" || mode == "ignore-term")) hang();
    if (bad && mode == "close-stdin") {
      ::close(0);
      hang();
    }
    if (bad && mode == "close-stdout") {
      ::close(1);
      hang();
    }
    if (bad && mode == "grandchild") {
      leave_grandchild(true, true);
      leave_grandchild(false, true);
      crash();
    }
    say(good);
  }
  if (mode == "stays") hang();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  if (std::strcmp(argv[1], "worker") == 0) return argc < 3 ? 64 : worker(argv[2], argc, argv);
  return command(argv[1], argc, argv);
}
