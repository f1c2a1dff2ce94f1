// Inferences by the default method, and how far they are from the truth.
#pragma once

#include "epsfree/divergence.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {

inline InferOptions with_budget(Index budget, std::uint64_t seed = 1) {
  InferOptions options;
  options.seed = seed;
  options.num_simulations = budget;
  return options;
}

inline const GaussianMixture& mixture_of(const InferResult& result) {
  return dynamic_cast<const MixturePosterior&>(*result.posterior).coordinates().mixture();
}

/// KL(exact || learnt) by Monte Carlo: the answer need not be one Gaussian.
inline double kl_to(const Gaussian& exact, const InferResult& result) {
  Stream stream(99);
  return kl_divergence(GaussianMixture(exact), mixture_of(result), 2000, stream).value;
}

}  // namespace epsfree
