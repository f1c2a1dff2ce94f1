#include "prob/posteriors/box_masses.hpp"

#include <vector>

#include "prob/mixtures/box_gaussian.hpp"

namespace epsfree {

Eigen::VectorXd log_masses_of(const TruncatedMixture& joint, std::span<const Index> others) {
  const GaussianMixture& mixture = joint.mixture();
  Eigen::VectorXd result = Eigen::VectorXd::Zero(mixture.num_components());
  if (others.empty() || joint.support().is_everywhere()) return result;
  const std::vector<Index> dims(others.begin(), others.end());
  const Eigen::VectorXd lower = joint.support().lower()(dims);
  const Eigen::VectorXd upper = joint.support().upper()(dims);
  for (Index k = 0; k < result.size(); ++k) {
    result(k) = BoxGaussian(mixture.component(k).marginal(others), lower, upper).log_mass().value;
  }
  return result;
}

}  // namespace epsfree
