// Random networks and examples for tests.
#pragma once

#include <numeric>
#include <vector>

#include "epsfree/mixture_density_network.hpp"

namespace epsfree {

template <class T>
Examples<T> random_examples(Index context_dim, Index target_dim, Index count, Stream& stream) {
  const auto matrix = [&](Index rows) {
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> values(rows, count);
    for (Index i = 0; i < values.size(); ++i) values.data()[i] = static_cast<T>(stream.normal());
    return values;
  };
  Examples<T> examples;
  examples.targets = matrix(target_dim);
  examples.contexts = matrix(context_dim);
  return examples;
}

/// A network whose biases and log variances are not at their trivial starts either.
template <class T>
MixtureDensityNetwork<T> random_network(Index context_dim, Index target_dim,
                                        const NetworkOptions& options, Stream& stream) {
  MixtureDensityNetwork<T> network(context_dim, target_dim, options, stream);
  for (T& parameter : network.parameters()) parameter += static_cast<T>(0.3 * stream.normal());
  return network;
}

inline std::vector<Index> first_indices(Index count) {
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), Index{0});
  return indices;
}

}  // namespace epsfree
