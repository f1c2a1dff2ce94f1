#include "infer/mdn/mdn_methods.hpp"

#include <set>
#include <utility>

#include "epsfree/error.hpp"
#include "infer/mdn/estimator_posterior.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "infer/mdn/network_run.hpp"
#include "infer/mdn/proposal_prior.hpp"

namespace epsfree {
namespace {

/// The posterior that the estimator gives at the observation, with what it took in the summary.
PosteriorPtr read_posterior(InferenceRun& run, const Estimator& estimator, RoundSummary& round) {
  CorrectedPosterior answer = corrected_posterior(estimator, run.problem().observed);
  round.components_improper = answer.components_improper;
  round.components_damped = answer.components_damped;
  round.components_dropped = answer.components_dropped;
  round.mean = answer.posterior->coordinates().mixture().mean();
  round.standard_deviation =
      answer.posterior->coordinates().mixture().covariance().diagonal().cwiseSqrt();
  Summary& summary = run.summary();
  summary.correction = answer.correction;
  summary.effective_sample_size = answer.effective_sample_size;
  for (const std::string& warning : answer.warnings) run.warn(warning);
  return answer.posterior;
}

/// Adds what is known already of simulations from the prior, each theta once: another run of the
/// same seed has simulated the same.
void add_known(const Problem& problem, SimulatedPairs& pairs) {
  if (!problem.known) return;
  const PriorSimulations& known = *problem.known;
  const auto bytes = [](const Eigen::VectorXd& theta) {
    return std::string(reinterpret_cast<const char*>(theta.data()),
                       static_cast<std::size_t>(theta.size()) * sizeof(double));
  };
  std::set<std::string> seen;
  for (Index i = 0; i < pairs.size(); ++i) {
    seen.insert(bytes(problem.prior->coordinates_are_identity()
                          ? Eigen::VectorXd(pairs.coordinates.col(i))
                          : problem.prior->from_coordinates(pairs.coordinates.col(i))));
  }
  std::vector<Index> others;
  for (Index i = 0; i < known.thetas.cols(); ++i) {
    if (seen.insert(bytes(known.thetas.col(i))).second) others.push_back(i);
  }
  Index at = pairs.size();
  const Index total = at + static_cast<Index>(others.size());
  pairs.coordinates.conservativeResize(Eigen::NoChange, total);
  pairs.statistics.conservativeResize(Eigen::NoChange, total);
  for (const Index i : others) {
    pairs.coordinates.col(at) = problem.prior->to_coordinates(known.thetas.col(i));
    pairs.statistics.col(at++) = known.statistics.col(i);
  }
}

/// Algorithm 2: trains `q` on simulations from p~ and corrects for it at x_o.
InferResult train_posterior(InferenceRun& run, std::shared_ptr<Network> q, const Proposal& p_tilde,
                            const TrainingOptions& training, int number) {
  RoundSummary round = new_round("final", number);
  // For n = 1..N: sample theta_n ~ p~ and x_n ~ p(x | theta_n).
  SimulatedPairs pairs = run.simulate(p_tilde, mdn_plan(run.options()).final, round);
  if (p_tilde.is_prior()) add_known(run.problem(), pairs);
  // Train q on them.
  run.train(*q, pairs, training, round);
  // p^(theta | x_o) <- p / p~ * q(theta | x_o).
  InferResult result;
  result.estimator = run.make_estimator(std::move(q), p_tilde, pairs.size());
  result.posterior = read_posterior(run, *result.estimator, round);
  run.finish_round(std::move(round));
  return result;
}

/// What the entries of the three have in common.
MethodEntry with_plan(MethodEntry entry) {
  entry.fewest_simulations = 10;
  entry.check = check_mdn_budget;
  entry.rescale = rescale_mdn_budget;
  entry.num_rounds = [](const InferOptions& options) {
    const MdnPlan plan = mdn_plan(options);
    return plan.num_rounds + (plan.final > 0 ? 1 : 0);
  };
  return entry;
}

}  // namespace

InferResult mdn_with_prior(InferenceRun& run) {
  const auto& options = std::get<MdnWithPriorOptions>(run.options().method);
  run.scale_statistics();
  return train_posterior(run, make_network(run, options.network), Proposal{}, options.training, 1);
}

InferResult proposal_prior(InferenceRun& run) {
  run.scale_statistics();
  LearntProposal learnt = train_proposal_prior(run);
  if (!learnt.posterior) {
    throw Error(ErrorKind::stopped,
                "no round gave a usable Gaussian: the network's answers lie outside the prior's "
                "support. Raise method.num_simulations or check the observation.");
  }
  InferResult result;
  result.estimator = run.make_estimator(learnt.network, learnt.trained_on, learnt.num_examples);
  RoundSummary& last = run.summary().rounds.back();
  if (last.proposal_uncorrected || last.proposal_kept) {
    // Good enough to propose from, but no posterior: correct it by whatever means there are.
    result.posterior = read_posterior(run, *result.estimator, last);
    return result;
  }
  if (!learnt.trained_on.is_prior()) {
    run.summary().correction = last.components_damped > 0 ? "analytic, damped" : "analytic";
  }
  const Estimator::Parts& parts = result.estimator->parts();
  result.posterior = std::make_shared<MixturePosterior>(parts.prior, parts.names,
                                                        GaussianMixture(*learnt.posterior));
  return result;
}

InferResult mdn_with_proposal(InferenceRun& run) {
  run.scale_statistics();
  const LearntProposal learnt = train_proposal_prior(run);
  // Initialise q with K components by replicating the one of Algorithm 1.
  const auto& options = std::get<MdnWithProposalOptions>(run.options().method);
  Stream init(run.options().seed, {.purpose = Purpose::network_init, .round = 1});
  const std::unique_ptr<Network> replicas =
      learnt.network->replicate(options.network.num_components, options.replica_noise, init);
  // The final training may have a weight precision of its own.
  std::unique_ptr<Network> q = make_network(run, options.network);
  std::copy(replicas->parameters().begin(), replicas->parameters().end(), q->parameters().begin());
  return train_posterior(run, std::move(q), learnt.proposal, options.training,
                         static_cast<int>(run.summary().rounds.size()) + 1);
}

MethodEntry mdn_with_prior_entry() {
  MethodEntry entry = with_plan(method_entry<MdnWithPriorOptions>(
      "mdn-with-prior", "the paper's network, trained once on the prior: holds for any observation",
      mdn_with_prior));
  entry.learns_any_observation = true;
  entry.learns_from_given = true;
  return entry;
}

MethodEntry proposal_prior_entry() {
  return with_plan(method_entry<ProposalPriorOptions>(
      "proposal-prior", "the paper's Algorithm 1: a Gaussian posterior, learnt in rounds",
      proposal_prior));
}

MethodEntry mdn_with_proposal_entry() {
  return with_plan(method_entry<MdnWithProposalOptions>(
      "mdn-with-proposal", "the paper's Algorithms 1 and 2: a mixture, learnt where rounds lead",
      mdn_with_proposal));
}

}  // namespace epsfree
