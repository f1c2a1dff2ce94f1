// Statistics brought to a scale on which distances mean something, and places in a tail.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// Centres by medians and whitens by the covariance of the points within five robust standard
/// deviations of them: a few wild simulations do not hide the others. What does not vary is held to
/// its value within a millionth, what hardly varies within a thousandth of the largest spread.
class Whitening {
 public:
  explicit Whitening(const Eigen::Ref<const Eigen::MatrixXd>& points);
  Eigen::MatrixXd apply(const Eigen::Ref<const Eigen::MatrixXd>& points) const;

 private:
  Eigen::VectorXd centre_, scale_;
  Eigen::MatrixXd matrix_;
};

/// The probability of a value as large as this, given others: by its rank among them, and beyond
/// all of them by a Pareto tail fitted to the largest tenth (Hill 1975).
double upper_tail_p(const Eigen::Ref<const Eigen::VectorXd>& others, double value);

/// What differs by less from a value does not differ: observations are written with few digits.
double least_scale(double centre);

}  // namespace epsfree
