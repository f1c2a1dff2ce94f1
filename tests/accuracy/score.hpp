// How good a posterior is: a divergence from the exact posterior, or from samples of it.
#pragma once

#include <Eigen/Core>

#include "epsfree/models.hpp"
#include "epsfree/truncated_mixture.hpp"

namespace epsfree {

/// KL(exact || learnt) by Monte Carlo over the exact posterior's samples, with its standard error.
Estimate kl_from_exact(const Posterior& exact, const Posterior& learnt);

/// The mean of -log q over samples of the true posterior (one per column). Samples have no density,
/// so this is a KL divergence up to a constant.
Estimate cross_entropy(const Eigen::MatrixXd& reference, const Posterior& learnt);

}  // namespace epsfree
