// Parameters as theta and as the prior's coordinates z: many at a time, their draws and densities.
#pragma once

#include <Eigen/Core>

#include "epsfree/prior.hpp"
#include "epsfree/stream.hpp"
#include "epsfree/summary.hpp"
#include "infer/proposal.hpp"

namespace epsfree {

/// Columns of z for columns of theta, and back.
Eigen::MatrixXd coordinates_of(const Prior& prior, const Eigen::MatrixXd& thetas);
Eigen::MatrixXd thetas_of(const Prior& prior, const Eigen::MatrixXd& coordinates);

/// log p(z), the prior's density in its coordinates; minus infinity outside of its support.
double log_prior_density(const Prior& prior, const Eigen::VectorXd& z);

/// `count` draws of z; `round` keeps how much of a Gaussian proposal lies on the support.
Eigen::MatrixXd draw_coordinates(const Prior& prior, const Proposal& proposal, Index count,
                                 Stream& stream, RoundSummary& round);

}  // namespace epsfree
