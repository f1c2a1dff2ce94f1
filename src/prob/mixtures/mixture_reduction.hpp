// A mixture with fewer components that is close to a given one.
#pragma once

#include <functional>

#include "epsfree/gaussian_mixture.hpp"

namespace epsfree {

struct ReductionOptions {
  Index most_components = 32;  ///< largest number of components left
  /// Components are merged beyond that number as long as a merge costs next to nothing: the
  /// estimate of its divergence is at most this.
  double free_divergence = 1e-6;
  Index most_considered = 512;     ///< components; the lightest are dropped before any is merged
  double negligible_share = 1e-6;  ///< components of a smaller share of the weight are dropped
};

/// How much of a component counts, as a logarithm: its mass on a support, say. It need not be
/// exact.
using LogImportance = std::function<double(const Gaussian&)>;

/// Merges pairs of components into one of the same mean and covariance, the pair with the smallest
/// upper bound of the divergence first (Runnalls 2007). With `log_importance` a component's share
/// is its weight times its importance, and what is merged keeps its share. Empty: all of it counts.
GaussianMixture reduce_components(const GaussianMixture& mixture, const ReductionOptions& options,
                                  const LogImportance& log_importance = {});

}  // namespace epsfree
