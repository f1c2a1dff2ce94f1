// Markov chains on a likelihood made from simulations.
#pragma once

#include "infer/inference_run.hpp"
#include "infer/method_entry.hpp"

namespace epsfree {

/// The posterior by Metropolis chains in the prior's coordinates, where the likelihood is a
/// Gaussian of replicates (Wood 2010), a mixture (Fan, Nott & Sisson 2013) or emulated by Gaussian
/// processes (Meeds & Welling 2014).
InferResult synthetic_likelihood(InferenceRun& run);

MethodEntry synthetic_likelihood_entry();

}  // namespace epsfree
