// The analytic correction for the proposal, appendix C.
#pragma once

#include <optional>

#include "epsfree/gaussian_mixture.hpp"
#include "epsfree/prior.hpp"

namespace epsfree {

/// What became of q(theta | x_o) p(theta) / p~(theta).
struct Correction {
  GaussianMixture mixture;     ///< to be normalised on the prior's support
  int components_dropped = 0;  ///< whose corrected precision was not positive definite
  bool importance = false;     ///< all were: importance weights on the support instead
  double effective_size = 0;   ///< of those weights
  Index num_weights = 0;
};

/// q(z) p(z) / proposal(z) in the prior's coordinates, for a proposal that was drawn on the prior's
/// support. Component by component in closed form; a component for which that is no Gaussian is
/// dropped. Nothing is returned if that leaves none.
std::optional<Correction> correct_analytically(const GaussianMixture& q, const Prior& prior,
                                               const Gaussian& proposal);

/// The same by importance sampling: draws from q on the support, weighted by p / proposal, and a
/// mixture of as many components fitted to them by EM. Always an answer, but one to be reported.
Correction correct_by_importance(const GaussianMixture& q, const Prior& prior,
                                 const Gaussian& proposal);

}  // namespace epsfree
