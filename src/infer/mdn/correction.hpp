// The analytic correction for the proposal, appendix C.
#pragma once

#include <optional>

#include "epsfree/gaussian_mixture.hpp"
#include "epsfree/prior.hpp"

namespace epsfree {

/// What became of q(theta | x_o) p(theta) / p~(theta).
struct Correction {
  GaussianMixture mixture;      ///< to be normalised on the prior's support
  int components_improper = 0;  ///< whose corrected precision was not positive definite
  int components_damped = 0;    ///< whose corrected precision was smaller than its sampling error
  int components_dropped = 0;   ///< for which there is no closed form at all
  bool importance = false;      ///< all were: importance weights on the support instead
  double effective_size = 0;    ///< of those weights
  Index num_weights = 0;
};

/// When the correction of a component is damped, and when it is given up.
struct DampingOptions {
  double handful = 20;  ///< a component of fewer examples is dropped instead of being damped
  /// No direction's corrected precision is below this fraction of the uncorrected one. With a
  /// proposal that is w times as wide as the posterior, the fraction is w / (w + 1) for a Gaussian.
  double least_precision = 0;
};

/// q(z) p(z) / proposal(z) in the prior's coordinates, for a proposal that was drawn on the prior's
/// support and a q that was learnt from `num_examples` simulations. Component by component in
/// closed form. Where a corrected precision is not positive definite, or smaller than its own
/// sampling error, it is damped: multiplied by the widest Gaussian around the component's mean that
/// makes it as large as that error. A component for which that fails too, or which fewer
/// than a handful of examples belong to, is dropped; nothing is returned if that leaves none.
std::optional<Correction> correct_analytically(const GaussianMixture& q, const Prior& prior,
                                               const Gaussian& proposal, Index num_examples,
                                               const DampingOptions& damping = {});

/// The same by importance sampling: draws from q on the support, weighted by p / proposal, and a
/// mixture of as many components fitted to them by EM. Always an answer, but one to be reported.
Correction correct_by_importance(const GaussianMixture& q, const Prior& prior,
                                 const Gaussian& proposal);

/// The analytic correction, or importance sampling where it leaves nothing or next to nothing on
/// the prior's support. Throws ErrorKind::stopped where neither gives an answer.
Correction correct(const GaussianMixture& q, const Prior& prior, const Gaussian& proposal,
                   Index num_examples, const DampingOptions& damping = {});

}  // namespace epsfree
