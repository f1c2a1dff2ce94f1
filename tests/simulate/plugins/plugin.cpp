// Shared libraries for plugin_test.cpp, one per value of KIND; most have something wrong with them.
#include <epsfree_plugin.h>

#include <atomic>
#include <cstring>
#include <stdexcept>

#define GOOD 1
#define BATCH 2
#define ANY_SIZE 3
#define SILENT 4         // exports nothing
#define OTHER_VERSION 5  // of epsfree_plugin.h
#define NO_SIMULATE 6    // says what it has, and has it not
#define NEGATIVE 7       // says that it has -1 parameters
#define UNSAFE 8         // does not bear two calls at once

#if KIND == ANY_SIZE
EPSFREE_PLUGIN(0, 0, 1)
#elif KIND == NEGATIVE
EPSFREE_PLUGIN(-1, 2, 1)
#elif KIND == OTHER_VERSION
extern "C" int32_t epsfree_plugin_version() { return EPSFREE_PLUGIN_VERSION + 1; }
#elif KIND == UNSAFE
extern "C" int32_t epsfree_plugin_version() { return EPSFREE_PLUGIN_VERSION; }
extern "C" int32_t epsfree_plugin_num_parameters() { return 2; }
extern "C" int32_t epsfree_plugin_num_statistics() { return 2; }
#elif KIND != SILENT
EPSFREE_PLUGIN(2, 2, 1)
#endif

#if KIND != SILENT && KIND != NO_SIMULATE && KIND != BATCH
namespace {
std::atomic<int> calls{0};
}

// theta[0] says what happens; the statistics are the parameters and the seed's two halves.
extern "C" int32_t epsfree_simulate(const double* theta, int32_t num_parameters, uint64_t seed,
                                    double* x, int32_t num_statistics, char* message,
                                    int32_t message_size) {
  if (theta[0] == -1) {
    std::strncpy(message, "the population died out   ", static_cast<size_t>(message_size));
    return EPSFREE_INVALID;
  }
  if (theta[0] == -2) return 7;
  if (theta[0] == -3) {
    std::memset(message, 'x', static_cast<size_t>(message_size));  // and no 0 at its end
    return EPSFREE_FAILED;
  }
  if (theta[0] == -4) throw std::runtime_error("thrown through C");
  if (theta[0] == -5) return EPSFREE_OK;  // nothing written
#if KIND == UNSAFE
  if (calls.fetch_add(1) != 0) return EPSFREE_FAILED;
  for (int i = 0; i < 20000; ++i) calls.load();
  calls.fetch_sub(1);
#endif
  double sum = 0;
  for (int32_t i = 0; i < num_parameters; ++i) sum += theta[i];
  for (int32_t i = 0; i < num_statistics; ++i) {
    x[i] = sum + static_cast<double>(static_cast<uint32_t>(seed >> (i % 2 == 0 ? 0 : 32)));
  }
  return EPSFREE_OK;
}
#endif

#if KIND == BATCH
extern "C" int32_t epsfree_simulate_batch(int32_t count, const double* thetas,
                                          int32_t num_parameters, const uint64_t* seeds, double* xs,
                                          int32_t num_statistics, int32_t* outcomes, char* messages,
                                          int32_t message_size) {
  for (int32_t i = 0; i < count; ++i) {
    const double* theta = thetas + i * num_parameters;
    double* x = xs + i * num_statistics;
    if (theta[0] == -1) {
      std::strncpy(messages + i * message_size, "the population died out",
                   static_cast<size_t>(message_size));
      outcomes[i] = EPSFREE_INVALID;
      continue;
    }
    if (theta[0] == -2) return -7;
    x[0] = theta[0] + theta[1] + static_cast<double>(static_cast<uint32_t>(seeds[i]));
    x[1] = theta[0] + theta[1] + static_cast<double>(static_cast<uint32_t>(seeds[i] >> 32));
  }
  return EPSFREE_OK;
}
#endif
