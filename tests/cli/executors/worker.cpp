#include <epsfree_worker.h>

#include "cli/executors/model.hpp"

namespace {

int simulate(const double* theta, uint64_t seed, double* x, void*) {
  return executors::simulate(theta, seed, x) ? EPSFREE_OK : EPSFREE_INVALID;
}

}  // namespace

int main() { return epsfree_worker_run(2, 2, simulate, nullptr); }
