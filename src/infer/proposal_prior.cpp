#include "infer/proposal_prior.hpp"

#include <optional>
#include <utility>

#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "infer/correction.hpp"

namespace epsfree {
namespace {

// A proposal with less than this of its mass inside the prior's support says that the network has
// not understood the data yet: drawing from it would only hug the boundary.
constexpr double kMinProposalMass = 0.01;

/// p~ <- p q(theta | x_o) / p~, or nothing if that is no usable Gaussian.
std::optional<Gaussian> next_proposal(InferenceRun& run, const GaussianMixture& q,
                                      const Proposal& p_tilde, RoundSummary& round) {
  std::optional<Gaussian> next = q.component(0);
  if (!p_tilde.is_prior()) {
    const std::optional<Correction> corrected =
        correct_analytically(q, run.prior(), *p_tilde.gaussian);
    round.components_dropped = corrected ? corrected->components_dropped : 1;
    if (!corrected) return std::nullopt;
    next = corrected->mixture.component(0);
  }
  if (!next->mean().allFinite()) return std::nullopt;
  try {
    const TruncatedMixture on_support(GaussianMixture(*next), run.prior().coordinate_support());
    if (on_support.mass().value < kMinProposalMass) return std::nullopt;
  } catch (const Error&) {  // no mass at all on the support
    return std::nullopt;
  }
  return next;
}

}  // namespace

LearntProposal train_proposal_prior(InferenceRun& run) {
  const RoundsOptions& options = run.options().rounds;

  // Initialise q with one component; p~ <- p.
  NetworkOptions shape = run.options().network;
  shape.num_components = 1;
  shape.weight_precision = options.weight_precision;
  std::shared_ptr<Network> q = run.make_network(shape);
  Proposal p_tilde;
  Proposal trained_on;

  for (int number = 1; number <= options.max_rounds; ++number) {
    RoundSummary round = new_round("round", number);
    // For n = 1..N: sample theta_n ~ p~ and x_n ~ p(x | theta_n).
    const SimulatedPairs pairs = run.simulate(p_tilde, options.num_simulations, round);
    // Retrain q on them, from where it is.
    run.train(*q, pairs, options.training, round);
    trained_on = p_tilde;

    // p~ <- p / p~ * q(theta | x_o).
    const GaussianMixture q_observed =
        run.make_estimator(q, p_tilde)->density(run.problem().observed);
    const std::optional<Gaussian> next = next_proposal(run, q_observed, p_tilde, round);
    round.proposal_kept = !next.has_value();
    if (next) {
      if (!p_tilde.is_prior()) round.proposal_change = kl_divergence(*next, *p_tilde.gaussian);
      p_tilde.gaussian = *next;
    } else {
      run.warn("round " + std::to_string(number) +
               ": the correction for the proposal gave no usable Gaussian; the proposal before it "
               "is used again");
    }
    if (!p_tilde.is_prior()) {
      round.mean = p_tilde.gaussian->mean();
      round.standard_deviation = p_tilde.gaussian->covariance().diagonal().cwiseSqrt();
    }
    // Until p~ has converged.
    const bool converged = round.proposal_change < options.tolerance;
    run.finish_round(std::move(round));
    if (converged) {
      run.summary().proposal_converged = true;
      break;
    }
  }
  return {std::move(q), std::move(p_tilde), std::move(trained_on)};
}

}  // namespace epsfree
