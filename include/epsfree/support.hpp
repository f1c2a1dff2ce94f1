// Where a density lives: a box, or the image of a box under an invertible linear map.
#pragma once

#include <Eigen/Core>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// { z : lower <= W z <= upper }, with bounds that may be infinite. W is the identity for a box.
class Support {
 public:
  static Support everywhere(Index dim);
  static Support box(Eigen::VectorXd lower, Eigen::VectorXd upper);
  /// The image of this support under z -> A z + b, A invertible.
  Support image(const Eigen::Ref<const Eigen::MatrixXd>& A,
                const Eigen::Ref<const Eigen::VectorXd>& b) const;

  Index dim() const { return lower_.size(); }
  bool contains(const Eigen::Ref<const Eigen::VectorXd>& z) const;
  bool is_everywhere() const;
  bool is_box() const { return W_.size() == 0; }
  /// W as a full matrix (the identity for a box), and the bounds of W z.
  Eigen::MatrixXd to_box() const;
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }

 private:
  Eigen::VectorXd lower_, upper_;
  Eigen::MatrixXd W_;  // empty for the identity
};

}  // namespace epsfree
