// The methods that accept what falls within an epsilon of the observation.
#pragma once

#include "infer/inference_run.hpp"
#include "infer/method_entry.hpp"

namespace epsfree {

/// Under which name a journal holds how far a stream of simulations is, which is not recorded.
inline constexpr const char* kRejectionStreamState = "rejection/stream/2";

/// Rejection: parameters from the prior whose simulations come near enough (Pritchard et al. 1999).
InferResult rejection_abc(InferenceRun& run);
/// Markov chains without likelihoods (Marjoram et al. 2003).
InferResult mcmc_abc(InferenceRun& run);
/// Population Monte Carlo (Beaumont, Cornuet, Marin & Robert 2009).
InferResult smc_abc(InferenceRun& run);

MethodEntry rejection_abc_entry();
MethodEntry mcmc_abc_entry();
MethodEntry smc_abc_entry();

}  // namespace epsfree
