// Samples of a posterior that a true value is ranked among.
#pragma once

#include <Eigen/Core>

#include "epsfree/posterior.hpp"

namespace epsfree {

/// Independent draws of a posterior, or all points of one that is made of weighted samples: drawn
/// from those, the same few would come again and again, and truths beyond them heap up in the
/// outermost ranks.
class RankedSamples {
 public:
  RankedSamples(const Posterior& posterior, Index count, Stream& stream);

  const Eigen::MatrixXd& points() const { return points_; }
  /// The place of `own`, of the truth, among `values`, one per point: from 0 to `count`, uniform
  /// where the truth is a draw of the posterior. Those that are equal are put before or behind it
  /// at random (Modrák et al. 2023, section 2). Of weighted points so many count as their
  /// effective size says, and the places between are shared out at random.
  int rank(double own, const Eigen::Ref<const Eigen::VectorXd>& values, Stream& ties) const;

  Eigen::VectorXd mean() const;
  Eigen::VectorXd standard_deviation() const;

 private:
  Index count_;
  Eigen::MatrixXd points_;
  Eigen::VectorXd masses_;  ///< of the points; one each where they are draws
};

}  // namespace epsfree
