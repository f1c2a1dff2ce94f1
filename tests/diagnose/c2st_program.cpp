// c2st_program FIRST SECOND NUM_SEEDS: reads two files of numbers (a line with dimension and count,
// then one sample a line) and prints, for each seed, the accuracy and the seconds of processor
// time.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include "epsfree/two_sample.hpp"

namespace {

Eigen::MatrixXd read(const std::string& path) {
  std::ifstream file(path);
  Eigen::Index dim = 0, count = 0;
  if (!(file >> dim >> count)) throw std::runtime_error(path + ": expected dimension and count");
  Eigen::MatrixXd samples(dim, count);
  for (double& value : samples.reshaped()) {
    if (!(file >> value)) throw std::runtime_error(path + ": ends too early");
  }
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 64;
  try {
    const Eigen::MatrixXd first = read(argv[1]), second = read(argv[2]);
    const int num_seeds = std::atoi(argv[3]);
    for (int seed = 1; seed <= num_seeds; ++seed) {
      const std::clock_t start = std::clock();
      const double accuracy = epsfree::c2st(
          first, second, {.seed = static_cast<std::uint64_t>(seed), .num_threads = 1});
      const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      std::printf("%.17g %.6f\n", accuracy, taken);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 65;
  }
  return 0;
}
