// Points in parameter space around which TARP draws its balls.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/prior.hpp"

namespace epsfree {

/// Reference points that depend on the observation, without which the prior itself would pass as a
/// posterior (Lemos et al. 2023, section 3): a regression of the parameters on the statistics'
/// normal scores, learnt from simulations of its own, with one of its residuals added. All in the
/// prior's coordinates over their standard deviations, so that distances have no units.
class ReferencePoints {
 public:
  /// Pairs from the prior, one a column. With fewer than ten pairs the points are draws of the
  /// prior.
  ReferencePoints(PriorPtr prior, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                  const Eigen::Ref<const Eigen::MatrixXd>& statistics);

  Eigen::VectorXd draw(const Eigen::Ref<const Eigen::VectorXd>& observed, Stream& stream) const;
  /// Where theta lies in the space of the points.
  Eigen::VectorXd place(const Eigen::Ref<const Eigen::VectorXd>& theta) const;

 private:
  Eigen::VectorXd features(const Eigen::Ref<const Eigen::VectorXd>& statistics) const;

  PriorPtr prior_;
  std::vector<std::vector<double>> sorted_;  ///< values of each statistic
  Eigen::MatrixXd coefficients_;             ///< of the features, one row per parameter
  Eigen::MatrixXd residuals_;
};

}  // namespace epsfree
