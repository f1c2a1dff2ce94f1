// Mean and covariance of theta where its coordinates are a truncated mixture.
#pragma once

#include <Eigen/Core>

#include "epsfree/prior.hpp"
#include "epsfree/truncated_mixture.hpp"
#include "epsfree/weighted_samples.hpp"

namespace epsfree {

struct ThetaMoments {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

/// In closed form where each coordinate is theta or its logarithm and truncation allows it, and
/// otherwise from theta_points.
ThetaMoments theta_moments(const Prior& prior, const TruncatedMixture& coordinates);

/// The distribution of theta as weighted points, for what has no closed form.
WeightedSamples theta_points(const Prior& prior, const TruncatedMixture& coordinates);

}  // namespace epsfree
