// Options of the synthetic likelihood.
#pragma once

#include <string>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// What stands in for the likelihood of the statistics.
enum class SyntheticLikelihood {
  gaussian,  ///< of replicates at every parameter that a chain visits (Wood 2010)
  mixture,   ///< a mixture of regressions, fitted once to all simulations (Fan, Nott & Sisson 2013)
  gaussian_process,  ///< emulators of mean and variance (Meeds & Welling 2014)
};
/// "gaussian", "mixture", "gaussian-process".
std::string to_string(SyntheticLikelihood likelihood);

/// Markov chains in the prior's coordinates, on a likelihood made from simulations.
struct SyntheticOptions {
  SyntheticLikelihood likelihood = SyntheticLikelihood::gaussian;
  int num_chains = 4;
  Index num_samples = 4000;  ///< at most so many are kept, of all chains together, evenly thinned
  double burn_in = 0.3;      ///< share of each chain that is only for finding its way and its scale
  /// Simulations of the first rounds, which look for the posterior before the chains start. At
  /// most a tenth of the budget each (mixture: a quarter).
  Index num_pilot = 200;
  /// Simulations at each parameter; 0: 40 for gaussian, 10 for gaussian_process. Not used by
  /// mixture.
  Index num_replicates = 0;
  /// gaussian: the estimate whose mean is the density itself (Price, Drovandi, Lee & Nott 2018)
  /// instead of that of the estimated mean and covariance.
  bool unbiased = true;
  Index num_steps = 5000;  ///< of each chain of mixture and gaussian_process; they cost nothing
  int max_components = 8;  ///< mixture: of the largest mixture tried
  /// gaussian_process: simulate more where a step's decision is wrong with more than this
  /// probability.
  double max_error = 0.05;

  Index replicates() const;
};

}  // namespace epsfree
