// How far simulations lie from the observation.
#pragma once

#include <Eigen/Core>

#include <string>

#include "epsfree/abc.hpp"

namespace epsfree {

/// The median absolute deviation of each row, or its standard deviation where more than half of the
/// values are equal.
Eigen::VectorXd robust_spreads(const Eigen::MatrixXd& points);

/// A sentence where some statistics of these simulations vary so much more than others that the
/// others hardly count in a Euclidean distance; else empty.
std::string unequal_spreads(const Eigen::MatrixXd& statistics);

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
