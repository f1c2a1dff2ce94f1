// The first so many simulations within epsilon.
#pragma once

#include <limits>
#include <vector>

#include "infer/abc/abc_run.hpp"

namespace epsfree {

/// Takes simulations in the order of their keys until there are enough: which of them ended first
/// plays no part, so that parameters whose simulations take long are not disfavoured.
class AcceptedInOrder {
 public:
  AcceptedInOrder(Index most, double epsilon) : most_(most), epsilon_(epsilon) {}

  void take(const Eigen::MatrixXd& thetas, const Eigen::MatrixXd& statistics,
            const Eigen::VectorXd& distances);
  Index size() const { return static_cast<Index>(distances_.size()); }
  /// How many were looked at until there were enough.
  Index num_tried() const { return num_tried_; }
  double nearest() const { return nearest_; }
  /// Without weights.
  AbcSample sample() const;

 private:
  Index most_;
  double epsilon_;
  Index num_tried_ = 0;
  double nearest_ = std::numeric_limits<double>::infinity();
  std::vector<double> distances_;
  std::vector<Eigen::VectorXd> thetas_, statistics_;
};

}  // namespace epsfree
