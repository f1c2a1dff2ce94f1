#include "infer/mdn/proposal_prior.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "infer/mdn/correction.hpp"
#include "infer/mdn/mdn_options.hpp"

namespace epsfree {
namespace {

// A proposal with less than this of its mass inside the prior's support says that the network has
// not understood the data yet: drawing from it would only hug the boundary.
constexpr double kMinProposalMass = 0.01;

bool usable(const Gaussian& proposal, const Prior& prior) {
  if (!proposal.mean().allFinite()) return false;
  try {
    const TruncatedMixture on_support(GaussianMixture(proposal), prior.coordinate_support());
    return on_support.mass().value >= kMinProposalMass;
  } catch (const Error&) {  // no mass at all on the support
    return false;
  }
}

/// p q(theta | x_o) / p~. Where that is no usable Gaussian, q(theta | x_o) itself: any proposal is
/// allowed, since whatever was used is divided out again, and q points to where the data do.
/// Nothing if that is not usable either.
std::optional<Gaussian> corrected_gaussian(InferenceRun& run, const GaussianMixture& q,
                                           const Proposal& p_tilde, Index num_examples,
                                           RoundSummary& round) {
  const Gaussian& uncorrected = q.component(0);
  if (p_tilde.is_prior()) {
    return usable(uncorrected, run.prior()) ? std::optional(uncorrected) : std::nullopt;
  }
  const std::optional<Correction> corrected =
      correct_analytically(q, run.prior(), *p_tilde.gaussian, num_examples);
  round.components_improper = corrected ? corrected->components_improper : 1;
  round.components_dropped = corrected ? 0 : 1;
  round.components_damped = corrected ? corrected->components_damped : 0;
  if (corrected && usable(corrected->mixture.component(0), run.prior())) {
    return corrected->mixture.component(0);
  }
  round.proposal_uncorrected = true;
  return usable(uncorrected, run.prior()) ? std::optional(uncorrected) : std::nullopt;
}

/// The same Gaussian with its covariance times `factor`.
Gaussian widened(const Gaussian& gaussian, double factor) {
  return Gaussian::from_precision_factor(gaussian.mean(),
                                         gaussian.precision_factor() / std::sqrt(factor));
}

}  // namespace

LearntProposal train_proposal_prior(InferenceRun& run) {
  const MdnSettings settings = mdn_settings(run.options().method).value();
  const RoundsOptions& options = *settings.rounds;
  const MdnPlan plan = mdn_plan(run.options());

  // Initialise q with one component; p~ <- p.
  NetworkOptions shape = settings.network;
  shape.num_components = 1;
  shape.weight_precision = options.weight_precision;
  std::shared_ptr<Network> q = make_network(run, shape);
  Proposal p_tilde;
  Proposal trained_on;
  std::optional<Gaussian> posterior;
  Index num_examples = 0;

  for (int number = 1; number <= plan.num_rounds; ++number) {
    RoundSummary round = new_round("round", number);
    // For n = 1..N: sample theta_n ~ p~ and x_n ~ p(x | theta_n).
    const SimulatedPairs pairs = run.simulate(p_tilde, plan.per_round, round);
    // Retrain q on them, from where it is.
    run.train(*q, pairs, options.training, round);
    trained_on = p_tilde;
    num_examples = pairs.size();

    // p~ <- p / p~ * q(theta | x_o).
    const GaussianMixture q_observed =
        run.make_estimator(q, p_tilde, pairs.size())->density(run.problem().observed);
    const std::optional<Gaussian> next =
        corrected_gaussian(run, q_observed, p_tilde, pairs.size(), round);
    round.proposal_kept = !next.has_value();
    if (next) {
      if (posterior) round.proposal_change = kl_divergence(*next, *posterior);
      posterior = *next;
      p_tilde.gaussian = widened(*next, options.widening);
    }
    if (round.proposal_kept || round.proposal_uncorrected) {
      run.warn("round " + std::to_string(number) +
               ": the correction for the proposal gave no usable Gaussian; what follows proposes " +
               (round.proposal_kept ? "as this round did" : "from the network's own answer"));
    }
    if (posterior) {
      round.mean = posterior->mean();
      round.standard_deviation = posterior->covariance().diagonal().cwiseSqrt();
    }
    // Until p~ has converged.
    const bool converged = !round.proposal_uncorrected && round.proposal_change < options.tolerance;
    run.finish_round(std::move(round));
    if (converged) {
      run.summary().proposal_converged = true;
      if (number < plan.num_rounds) {
        run.summary().unspent_because = "the proposal converged after round " +
                                        std::to_string(number) + " (method.rounds.tolerance)";
      }
      break;
    }
  }
  return {std::move(q), std::move(posterior), std::move(p_tilde), std::move(trained_on),
          num_examples};
}

}  // namespace epsfree
