// A simulator that does next to nothing: as a worker without arguments, else as a command.
#include <cstdio>
#include <cstdlib>

#include "epsfree_worker.h"

namespace {

int simulate(const double* theta, uint64_t seed, double* x, void*) {
  for (int i = 0; i < 9; ++i) {
    x[i] = theta[i % 4] / (i + 1) + static_cast<double>(seed >> 11) * 0x1p-53;
  }
  return EPSFREE_OK;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return epsfree_worker_run(4, 9, simulate, nullptr);
  double theta[4], x[9];
  for (int i = 0; i < 4; ++i) theta[i] = std::strtod(argv[i + 2], nullptr);
  simulate(theta, std::strtoull(argv[1], nullptr, 10), x, nullptr);
  for (const double value : x) std::printf("%.17g\n", value);
  return 0;
}
