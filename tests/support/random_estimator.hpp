// Estimators that learnt nothing, with scales that are not trivial: for tests of what is made of
// them.
#pragma once

#include <memory>

#include "epsfree/estimator.hpp"
#include "epsfree/mixture_density_network.hpp"

namespace epsfree {

/// A network with random weights; statistics are standardised by a full matrix.
inline Estimator::Parts random_parts(PriorPtr prior, Index num_statistics, Direction direction,
                                     std::uint64_t seed) {
  Stream stream(seed);
  const auto normals = [&](Index rows, Index cols) {
    Eigen::MatrixXd values(rows, cols);
    for (double& value : values.reshaped()) value = stream.normal();
    return values;
  };
  const Index dim = prior->dim();
  const bool is_posterior = direction == Direction::posterior;
  auto network = std::make_shared<MixtureDensityNetwork<float>>(
      is_posterior ? num_statistics : dim, is_posterior ? dim : num_statistics,
      NetworkOptions{.hidden_units = {6}, .num_components = 3, .variational = false}, stream);
  for (float& parameter : network->parameters()) {
    parameter += static_cast<float>(0.2 * stream.normal());
  }
  const Eigen::MatrixXd matrix = 2 * Eigen::MatrixXd::Identity(num_statistics, num_statistics) +
                                 0.3 * normals(num_statistics, num_statistics);
  std::vector<std::string> names;
  for (Index i = 0; i < dim; ++i) names.push_back("theta" + std::to_string(i + 1));
  return {
      .prior = prior,
      .names = names,
      .method = "mdn-with-prior",
      .statistics = Standardiser::from_parts(normals(num_statistics, 1).col(0), matrix),
      .parameters = Standardiser::diagonal(prior->coordinate_mean(), 0.7 * prior->coordinate_std()),
      .conditional = network,
      .direction = direction,
      .proposal = {},
      .observed = normals(num_statistics, 1).col(0)};
}

}  // namespace epsfree
