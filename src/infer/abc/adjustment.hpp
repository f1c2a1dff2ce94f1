// Regression adjustment: what accepted parameters would have been, had their simulations given the
// observation itself.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "epsfree/prior.hpp"
#include "epsfree/training.hpp"
#include "infer/abc/abc_sample.hpp"

namespace epsfree {

struct AdjustmentRequest {
  const Prior& prior;
  const Eigen::VectorXd& observed;
  std::uint64_t seed = 1;
  std::function<Action(long step, long num_steps, double loss)> progress = {};
};

struct Adjusted {
  Eigen::MatrixXd thetas;   ///< all in the prior's support
  Eigen::VectorXd weights;  ///< the sample's times the kernel's
  /// Of the weights, or less: the regression itself is known from so many only.
  double effective_size = 0;
  TrainingSummary training;
  std::vector<std::string> warnings;
};

/// theta - (s - s_o) beta with beta from a regression with Epanechnikov weights of the distance
/// over epsilon (Beaumont, Zhang & Balding 2002). Done in the prior's coordinates, with bounded
/// ones stretched to the whole line, so that nothing leaves the support.
Adjusted adjust_linearly(const AbcSample& sample, const AdjustmentRequest& request);

/// m(s_o) + C(s_o) C(s)^-1 (r - m(s)) of the residuals r of the linear regression, with the mean
/// and the covariance C C^T of a network (Blum & Francois 2010, who have one variance per parameter
/// and no linear part). Where the network does not foretell held-out residuals better than one
/// Gaussian does, the linear adjustment: with many statistics a network that fits what was accepted
/// says little at the observation in their midst.
Adjusted adjust_by_network(const AbcSample& sample, const AdjustmentRequest& request);

}  // namespace epsfree
