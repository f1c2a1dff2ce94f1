// Options of the default method.
#pragma once

#include <vector>

namespace epsfree {

/// The default method, which needs no settings; these are for experiments.
struct AutoOptions {
  int max_components = 16;  ///< the most components that the final fit may have
  bool network = true;      ///< whether a network may be trained where mixtures do not suffice
  /// Factor on the covariance of each proposal; 0: 5^(2/D), from 1.5 to 4, with which a proposal
  /// covers about five times the volume of the posterior whatever the dimension.
  double widening = 0;
  /// Return the rest of the budget unspent when twice the simulations changed the posterior by less
  /// than this KL divergence; 0: always spend all of it.
  double tolerance = 0.001;
  /// Budgets that were spent before this one was granted, ascending: the rounds are those of the
  /// first until it is spent, and so on, so that a run whose budget grows keeps all it has.
  std::vector<long> earlier_budgets = {};
};

}  // namespace epsfree
