// How far simulations lie from the observation.
#pragma once

#include <Eigen/Core>

#include "epsfree/abc.hpp"

namespace epsfree {

class Distance {
 public:
  /// The pilot's statistics, one column per simulation, set the scale; the Euclidean distance needs
  /// none. Throws ErrorKind::input where the observation cannot be measured with it.
  Distance(DistanceKind kind, Eigen::VectorXd observed, const Eigen::MatrixXd& pilot = {});
  Distance(DistanceFunction function, Eigen::VectorXd observed);

  const Eigen::VectorXd& observed() const { return observed_; }
  /// Infinite where it would be NaN.
  double operator()(const Eigen::Ref<const Eigen::VectorXd>& statistics) const;
  /// Of each column, in so many threads; infinite for columns that are not finite.
  Eigen::VectorXd of_columns(const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                             int num_threads) const;

 private:
  DistanceFunction function_;
  Eigen::VectorXd observed_;
  Eigen::VectorXd scale_;     // factor on each difference; empty: one
  Eigen::MatrixXd whitener_;  // lower triangular; empty unless Mahalanobis
};

}  // namespace epsfree
