// A problem whose posterior is known, and a network small enough to learn it in moments.
#pragma once

#include <Eigen/Core>

#include "epsfree/mixture_density_network.hpp"
#include "random_problem.hpp"

namespace epsfree {

// theta ~ N(0, I), x = A theta + 0.5 noise: the posterior of theta is Gaussian and linear in x.
inline const Eigen::Matrix2d kA{{1.0, 0.5}, {-0.3, 0.8}};
inline constexpr double kNoise = 0.5;

template <class T>
Examples<T> linear_gaussian(Index count, std::uint64_t seed) {
  Stream stream(seed);
  Examples<T> examples = random_examples<T>(2, 2, count, stream);
  const auto A = kA.cast<T>().eval();
  examples.contexts = (A * examples.targets + T(kNoise) * examples.contexts).eval();
  return examples;
}

template <class T>
MixtureDensityNetwork<T> small_network(bool variational, int num_components = 1) {
  Stream init(5);
  return MixtureDensityNetwork<T>(2, 2,
                                  {.hidden_units = {8},
                                   .num_components = num_components,
                                   .variational = variational,
                                   .initial_log_std = -3},
                                  init);
}

}  // namespace epsfree
