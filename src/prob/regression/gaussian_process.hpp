// Regression with a Gaussian process.
#pragma once

#include <Eigen/Core>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// y = f(u) + noise of known variance, where f is a vague linear function plus a process with the
/// covariance a^2 exp(-|(u - u') / l|^2 / 2), one length l per dimension (Rasmussen & Williams
/// 2006, chapters 2 and 5). Points should have zero mean and unit scale or so.
class GaussianProcess {
 public:
  /// What f is believed to be before the data: its amplitude, in units of the values' standard
  /// deviation, and its lengths, as logarithms. Without lengths: a usual shape.
  struct Shape {
    double log_amplitude;
    Eigen::VectorXd log_lengths;
  };

  /// The shape of highest marginal likelihood, times a weak prior around 1, found by BFGS from
  /// `start`. One column per point, one value and variance each.
  static GaussianProcess fit(const Eigen::Ref<const Eigen::MatrixXd>& points,
                             const Eigen::Ref<const Eigen::VectorXd>& values,
                             const Eigen::Ref<const Eigen::VectorXd>& noise_variances,
                             const Shape& start = Shape());
  /// With a given shape.
  GaussianProcess(Eigen::MatrixXd points, const Eigen::Ref<const Eigen::VectorXd>& values,
                  const Eigen::Ref<const Eigen::VectorXd>& noise_variances, Shape shape);

  const Shape& shape() const { return shape_; }
  Index num_points() const { return points_.cols(); }

  /// Of f at some points together, one per column: means and covariance.
  struct Prediction {
    Eigen::VectorXd mean;
    Eigen::MatrixXd covariance;
  };
  Prediction predict(const Eigen::Ref<const Eigen::MatrixXd>& at) const;
  /// The means alone, for which a point takes as many steps as there are points, not their square.
  Eigen::VectorXd means(const Eigen::Ref<const Eigen::MatrixXd>& at) const;

  /// log p(values) plus the log prior of the shape, and its gradient by log amplitude and log
  /// lengths, if wanted. For tests of the latter.
  double log_evidence(Eigen::VectorXd* gradient = nullptr) const;

 private:
  Eigen::MatrixXd smooth_part(const Eigen::Ref<const Eigen::MatrixXd>& at) const;
  Eigen::MatrixXd linear_part(const Eigen::Ref<const Eigen::MatrixXd>& at) const;

  Eigen::MatrixXd points_;
  Shape shape_;
  double centre_, scale_;    // of the values
  Eigen::VectorXd values_;   // centred and scaled, as is all that follows
  Eigen::MatrixXd smooth_;   // covariance of the points without the linear part
  Eigen::MatrixXd factor_;   // lower Cholesky factor of the values' covariance
  Eigen::VectorXd weights_;  // that covariance's inverse times the values
};

}  // namespace epsfree
