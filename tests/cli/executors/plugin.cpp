#include <epsfree_plugin.h>

#include "cli/executors/model.hpp"

EPSFREE_PLUGIN(2, 2, 1)

extern "C" int32_t epsfree_simulate(const double* theta, int32_t, uint64_t seed, double* x, int32_t,
                                    char*, int32_t) {
  return executors::simulate(theta, seed, x) ? EPSFREE_OK : EPSFREE_INVALID;
}
