// Wood's synthetic likelihood: chains that simulate at every step.
#pragma once

#include "infer/synthetic/likelihood_rounds.hpp"

namespace epsfree {

/// Spends what is left of the budget on chains whose every proposal is simulated num_replicates
/// times. They start from the chains of the rounds, which also give a first idea of their scale.
InferResult replicate_chains(SyntheticRun& run, LikelihoodRounds& rounds);

}  // namespace epsfree
