#include <cstdio>
#include <cstdlib>

#include "cli/executors/model.hpp"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const double theta[] = {std::atof(argv[1]), std::atof(argv[2])};
  double x[2];
  if (!executors::simulate(theta, std::strtoull(argv[3], nullptr, 10), x))
    return std::puts("nan nan") < 0;
  return std::printf("%.17g %.17g\n", x[0], x[1]) < 0;
}
