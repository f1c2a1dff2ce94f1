// What an ABC method accepted.
#pragma once

#include <Eigen/Core>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// Accepted simulations, one column each.
struct AbcSample {
  Eigen::MatrixXd thetas, statistics;
  Eigen::VectorXd distances;
  Eigen::VectorXd weights;  ///< positive, of any sum; before an adjustment
  double epsilon = 0;
  Index size() const { return thetas.cols(); }
};

}  // namespace epsfree
