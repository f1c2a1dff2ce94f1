// Affine maps that bring data to zero mean and unit scale.
#pragma once

#include <Eigen/Core>
#include <string>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// How statistics are brought to a common scale.
enum class Scaling {
  as_is,      ///< not at all
  normalise,  ///< each by its mean and standard deviation
  whiten,     ///< all by their mean and covariance
};
std::string to_string(Scaling scaling);

/// y = matrix * (x - shift).
class Standardiser {
 public:
  static Standardiser identity(Index dim);
  /// By given centre and scale per dimension.
  static Standardiser diagonal(Eigen::VectorXd shift,
                               const Eigen::Ref<const Eigen::VectorXd>& scale);
  /// From data, one column per point. Dimensions (or directions) that do not vary are only centred.
  static Standardiser fit(const Eigen::Ref<const Eigen::MatrixXd>& points, Scaling scaling);
  /// From a file's numbers.
  static Standardiser from_parts(Eigen::VectorXd shift, Eigen::MatrixXd matrix);

  Index dim() const { return shift_.size(); }
  const Eigen::VectorXd& shift() const { return shift_; }
  const Eigen::MatrixXd& matrix() const { return matrix_; }
  /// One column per point.
  Eigen::MatrixXd apply(const Eigen::Ref<const Eigen::MatrixXd>& points) const;
  Eigen::MatrixXd invert(const Eigen::Ref<const Eigen::MatrixXd>& points) const;

 private:
  Standardiser(Eigen::VectorXd shift, Eigen::MatrixXd matrix);
  Eigen::VectorXd shift_;
  Eigen::MatrixXd matrix_;
};

}  // namespace epsfree
