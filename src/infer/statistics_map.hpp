// Statistics as a local fit sees them.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// A sentence for each statistic that is the same in all simulations but another in the
/// observation.
std::vector<std::string> never_reached(const Eigen::MatrixXd& statistics,
                                       const Eigen::VectorXd& observed);

/// Statistics centred at the observation, each in units of its typical distance from it, and
/// optionally squashed by asinh, so that simulations far away do not dominate. Maps of single
/// statistics that are one-to-one lose nothing: the posterior stays the same. Statistics that never
/// vary are left out.
class StatisticsMap {
 public:
  /// From simulations, one column each, with weights.
  StatisticsMap(const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                const Eigen::Ref<const Eigen::VectorXd>& weights,
                const Eigen::Ref<const Eigen::VectorXd>& observed, bool squashed);

  Index dim() const { return static_cast<Index>(kept_.size()); }
  /// One column per point. The observation maps to zero.
  Eigen::MatrixXd apply(const Eigen::Ref<const Eigen::MatrixXd>& statistics) const;

 private:
  bool squashed_;
  Eigen::VectorXd observed_;
  Eigen::VectorXd scale_;  // of those kept
  std::vector<Index> kept_;
};

}  // namespace epsfree
