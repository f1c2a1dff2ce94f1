// From a trained estimator to a posterior, with what happened on the way.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "epsfree/estimator.hpp"

namespace epsfree {

struct CorrectedPosterior {
  std::shared_ptr<const MixturePosterior> posterior;
  std::string correction = "none";  ///< as in Summary
  int components_improper = 0;
  int components_damped = 0;
  int components_dropped = 0;
  double effective_sample_size = 0;
  std::vector<std::string> warnings;
};

/// p(theta) / p~(theta) * q(theta | x): in closed form where it exists, by importance weights
/// otherwise. Throws ErrorKind::stopped if nothing of it lies in the prior's support.
CorrectedPosterior corrected_posterior(const Estimator& estimator,
                                       const Eigen::Ref<const Eigen::VectorXd>& x);

}  // namespace epsfree
