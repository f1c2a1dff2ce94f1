// Chains on an emulated likelihood that ask for simulations where they are uncertain.
#pragma once

#include "infer/synthetic/likelihood_rounds.hpp"

namespace epsfree {

/// Meeds & Welling (2014): a design around the posterior that the rounds have found, which chains
/// extend wherever a decision to accept is too uncertain; then chains on what was learnt.
InferResult emulated_chains(SyntheticRun& run, LikelihoodRounds& rounds);

}  // namespace epsfree
