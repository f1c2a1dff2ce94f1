// One model for every way to run a simulator: executors_test.cpp sees whether all give the same.
#pragma once

#include <cmath>
#include <cstdint>

namespace executors {

inline double uniform(std::uint64_t& state) {  // SplitMix64
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (static_cast<double>((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

/// False where there is no outcome, which is in a corner of the prior.
inline bool simulate(const double* theta, std::uint64_t seed, double* x) {
  if (theta[0] > 0.8 && theta[1] > 0.7) return false;
  x[0] = theta[0] + 0.1 * std::log(uniform(seed));
  x[1] = theta[1] / 3 + theta[0] * uniform(seed);
  return true;
}

}  // namespace executors
