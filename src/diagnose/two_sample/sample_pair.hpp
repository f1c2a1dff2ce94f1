// Two sets of samples side by side.
#pragma once

#include <Eigen/Core>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// Both sets as columns of one matrix, the first before the second.
class SamplePair {
 public:
  /// Where `standardise`, by the mean and deviation of the first, dimension by dimension; one that
  /// does not vary there is only centred. Throws ErrorKind::input unless both are finite, of one
  /// dimension and of at least two samples.
  SamplePair(const Eigen::Ref<const Eigen::MatrixXd>& first,
             const Eigen::Ref<const Eigen::MatrixXd>& second, bool standardise);

  const Eigen::MatrixXd& points() const { return points_; }
  Index num_first() const { return num_first_; }
  Index num_second() const { return points_.cols() - num_first_; }
  /// 0 for the first set, 1 for the second.
  Eigen::VectorXd labels() const;

 private:
  Eigen::MatrixXd points_;
  Index num_first_;
};

}  // namespace epsfree
