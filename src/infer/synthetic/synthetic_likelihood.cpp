#include "infer/synthetic/synthetic_likelihood.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "epsfree/error.hpp"
#include "infer/synthetic/emulated_chains.hpp"
#include "infer/synthetic/likelihood_rounds.hpp"
#include "infer/synthetic/replicate_chains.hpp"
#include "infer/synthetic/synthetic_options.hpp"

namespace epsfree {
namespace {

// Chains of a round only have to find the next proposal.
constexpr Index kSearchSteps = 1000;
// A search follows the bulk of the simulations, which few components do more steadily than many.
constexpr int kRoundComponents = 2;
// Rounds before chains that simulate, and all rounds of the mixture.
constexpr int kSearchRounds = 2;
constexpr int kMixtureRounds = 4;
// Fewer steps are no chain, and fewer points no design.
constexpr Index kFewestSteps = 10;
constexpr Index kFewestPointsPerDimension = 3;
// Share of the budget that one round of a search may cost.
constexpr Index kSearchShare = 10;

constexpr const char* kMixtureAdvice = "Raise method.synthetic.num_steps.";

Index budget_of(SyntheticRun& run) { return run.run().options().num_simulations; }

void search(SyntheticRun& run, LikelihoodRounds& rounds) {
  const Index size =
      std::max<Index>(10, std::min(run.options().num_pilot, budget_of(run) / kSearchShare));
  for (int r = 0; r < kSearchRounds; ++r) rounds.advance(size, kRoundComponents, kSearchSteps);
  rounds.explain_constants();
  run.run().finish_round(std::move(rounds.round()));
}

void require_budget(SyntheticRun& run, Index fewest, const std::string& what) {
  // What the search may take comes on top.
  const Index needed =
      (kSearchShare * fewest + kSearchShare - kSearchRounds - 1) / (kSearchShare - kSearchRounds);
  if (budget_of(run) >= needed) return;
  throw Error(ErrorKind::input, "num_simulations is " + std::to_string(budget_of(run)) +
                                    "; it must be at least " + std::to_string(needed) + " for " +
                                    what);
}

/// Wood (2010).
InferResult with_replicates(SyntheticRun& run) {
  const SyntheticOptions& options = run.options();
  require_budget(run, kFewestSteps * options.num_chains * options.replicates(),
                 std::to_string(kFewestSteps) + " steps of " + std::to_string(options.num_chains) +
                     " chains with " + std::to_string(options.replicates()) +
                     " replicates (synthetic.num_chains, synthetic.num_replicates)");
  LikelihoodRounds rounds(run);
  search(run, rounds);
  return replicate_chains(run, rounds);
}

/// Fan, Nott & Sisson (2013).
InferResult with_mixture(SyntheticRun& run) {
  LikelihoodRounds rounds(run);
  for (int left = kMixtureRounds; left > 0; --left) {
    const Index share = run.remaining() / left;
    const bool last = left == 1;
    rounds.advance(left == kMixtureRounds ? std::min(run.options().num_pilot, share) : share,
                   last ? run.options().max_components : kRoundComponents,
                   last ? run.options().num_steps : kSearchSteps);
  }
  rounds.explain_constants();
  return run.finish(rounds.chains(), std::move(rounds.round()), kMixtureAdvice);
}

/// Meeds & Welling (2014).
InferResult with_emulators(SyntheticRun& run) {
  const Index points = kFewestPointsPerDimension * (run.dim() + 1);
  require_budget(run, points * run.options().replicates(),
                 "a design of " + std::to_string(points) + " parameters with " +
                     std::to_string(run.options().replicates()) +
                     " replicates (synthetic.num_replicates)");
  LikelihoodRounds rounds(run);
  search(run, rounds);
  return emulated_chains(run, rounds);
}

}  // namespace

InferResult synthetic_likelihood(InferenceRun& run) {
  SyntheticRun synthetic(run);
  switch (std::get<SyntheticOptions>(run.options().method).likelihood) {
    case SyntheticLikelihood::gaussian:
      return with_replicates(synthetic);
    case SyntheticLikelihood::mixture:
      return with_mixture(synthetic);
    case SyntheticLikelihood::gaussian_process:
      break;
  }
  return with_emulators(synthetic);
}

MethodEntry synthetic_likelihood_entry() {
  return method_entry<SyntheticOptions>(
      "synthetic-likelihood",
      "Markov chains on a likelihood made from simulations (Wood 2010 and others)",
      synthetic_likelihood);
}

}  // namespace epsfree
