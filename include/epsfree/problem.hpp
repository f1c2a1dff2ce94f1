// What a user brings: a prior, a simulator, an observation.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/prior.hpp"
#include "epsfree/simulator.hpp"

namespace epsfree {

/// Simulations from the prior that have been made already, one a column, all of them usable.
struct PriorSimulations {
  Eigen::MatrixXd thetas, statistics;
};

struct Problem {
  PriorPtr prior;
  SimulatorPtr simulator;
  Eigen::VectorXd observed;                   ///< the statistics of the real data
  std::vector<std::string> names = {};        ///< of the parameters; empty: theta1, theta2, ...
  std::optional<Eigen::VectorXd> truth = {};  ///< true parameters where known, for display only
  /// Used by `mdn-with-prior` besides its own; what it simulates itself does not count twice.
  std::shared_ptr<const PriorSimulations> known = {};

  /// Throws ErrorKind::input if a part is missing, dimensions disagree or the observation is not
  /// finite.
  void validate() const;
};

}  // namespace epsfree
