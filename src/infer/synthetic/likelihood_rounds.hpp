// Rounds of simulations that learn a likelihood where the posterior is.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "infer/synthetic/mixture_likelihood.hpp"
#include "infer/synthetic/synthetic_run.hpp"
#include "infer/synthetic/validity_model.hpp"

namespace epsfree {

/// The first round simulates parameters of the prior, each later one those of a Gaussian around the
/// posterior that the mixture likelihood of all simulations so far implies, widened.
class LikelihoodRounds {
 public:
  explicit LikelihoodRounds(SyntheticRun& run);

  /// Simulates `count` parameters and learns from them. The mixtures have at most so many
  /// components, the chains so many steps.
  void advance(Index count, int max_components, Index num_steps);

  /// Of the last round: the likelihood, and the chains on its product with p(valid | z) and the
  /// prior.
  const MixtureLikelihood& likelihood() const { return *likelihood_; }
  const ChainStates& chains() const { return chains_; }
  /// What the next round would simulate.
  const Gaussian& proposal() const { return *proposal_.gaussian; }
  int num_rounds() const { return number_; }
  /// Warns of statistics that no simulation gets right.
  void explain_constants() const;
  /// The last round, which is not in the summary yet.
  RoundSummary& round() { return round_; }

 private:
  SyntheticRun& run_;
  SimulationPool pool_;
  Proposal proposal_;
  Eigen::MatrixXd z_;  // of all simulations so far, and how they ended
  std::vector<SimStatus> statuses_;
  ValidityModel validity_;
  std::optional<MixtureLikelihood> likelihood_;
  ChainStates chains_;
  RoundSummary round_;
  int number_ = 0;
};

}  // namespace epsfree
