// What a user brings: a prior, a simulator, an observation.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/prior.hpp"
#include "epsfree/simulator.hpp"

namespace epsfree {

struct Problem {
  PriorPtr prior;
  SimulatorPtr simulator;
  Eigen::VectorXd observed;                   ///< the statistics of the real data
  std::vector<std::string> names = {};        ///< of the parameters; empty: theta1, theta2, ...
  std::optional<Eigen::VectorXd> truth = {};  ///< true parameters where known, for display only

  /// Throws ErrorKind::input if a part is missing, dimensions disagree or the observation is not
  /// finite.
  void validate() const;
};

}  // namespace epsfree
