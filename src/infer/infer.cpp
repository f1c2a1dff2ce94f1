#include "epsfree/infer.hpp"

#include <chrono>
#include <set>
#include <utility>

#include "base/numerics.hpp"
#include "epsfree/error.hpp"
#include "infer/abc/abc_methods.hpp"
#include "infer/inference_run.hpp"
#include "infer/local/auto_method.hpp"
#include "infer/mdn/correction.hpp"
#include "infer/mdn/estimator_posterior.hpp"
#include "infer/mdn/network_run.hpp"
#include "infer/mdn/proposal_prior.hpp"
#include "infer/synthetic/synthetic_likelihood.hpp"

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
                            int number) {
  RoundSummary round = new_round("final", number);
  // For n = 1..N: sample theta_n ~ p~ and x_n ~ p(x | theta_n).
  SimulatedPairs pairs = run.simulate(p_tilde, run.options().num_simulations, round);
  if (p_tilde.is_prior()) add_known(run.problem(), pairs);
  // Train q on them.
  run.train(*q, pairs, run.options().training, round);
  // p^(theta | x_o) <- p / p~ * q(theta | x_o).
  InferResult result;
  result.estimator = run.make_estimator(std::move(q), p_tilde, pairs.size());
  result.posterior = read_posterior(run, *result.estimator, round);
  run.finish_round(std::move(round));
  return result;
}

InferResult mdn_with_prior(InferenceRun& run) {
  return train_posterior(run, make_network(run, run.options().network), Proposal{}, 1);
}

InferResult proposal_prior(InferenceRun& run) {
  LearntProposal learnt = train_proposal_prior(run);
  if (!learnt.posterior) {
    throw Error(ErrorKind::stopped,
                "no round gave a usable Gaussian: the network's answers lie outside the prior's "
                "support. Raise method.rounds.num_simulations or check the observation.");
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
  const LearntProposal learnt = train_proposal_prior(run);
  // Initialise q with K components by replicating the one of Algorithm 1.
  const InferOptions& options = run.options();
  Stream init(options.seed, {.purpose = Purpose::network_init, .round = 1});
  const std::unique_ptr<Network> replicas =
      learnt.network->replicate(options.network.num_components, options.replica_noise, init);
  // The final training may have a weight precision of its own.
  std::unique_ptr<Network> q = make_network(run, options.network);
  std::copy(replicas->parameters().begin(), replicas->parameters().end(), q->parameters().begin());
  return train_posterior(run, std::move(q), learnt.proposal,
                         static_cast<int>(run.summary().rounds.size()) + 1);
}

InferResult run_method(InferenceRun& run) {
  switch (run.options().method) {
    case Method::automatic:
      return auto_method(run);
    case Method::mdn_with_prior:
      return mdn_with_prior(run);
    case Method::proposal_prior:
      return proposal_prior(run);
    case Method::rejection_abc:
      return rejection_abc(run);
    case Method::mcmc_abc:
      return mcmc_abc(run);
    case Method::smc_abc:
      return smc_abc(run);
    case Method::synthetic_likelihood:
      return synthetic_likelihood(run);
    case Method::mdn_with_proposal:
      break;
  }
  return mdn_with_proposal(run);
}

/// Says what dropping simulations means for the answer.
void explain_dropped(InferenceRun& run) {
  const SimulationCounts& counts = run.summary().simulations;
  const long faults = counts.num_faults();
  if (faults == 0) return;
  run.warn(std::to_string(faults) + " of " + std::to_string(counts.total()) +
           " simulations failed and were dropped; if failing depends on the parameters, the "
           "posterior is biased away from where it happens");
}

}  // namespace

InferResult infer(const Problem& problem, const InferOptions& options, Runner& runner,
                  Observer* observer, Journal* journal) {
  problem.validate();
  options.validate();
  pin_numerics();
  const auto start = std::chrono::steady_clock::now();
  InferenceRun run(problem, options, runner, observer, journal);
  if (!has_one_budget(options.method)) run.scale_statistics();
  InferResult result = run_method(run);
  explain_dropped(run);
  run.summarise_dropped();

  Summary& summary = run.summary();
  if (const auto* mixture = dynamic_cast<const MixturePosterior*>(result.posterior.get())) {
    summary.mass_on_support = mixture->coordinates().mass().value;
    summary.mass_on_support_error = mixture->coordinates().mass().standard_error;
  }
  summary.finished = true;
  summary.total_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.summary = std::move(summary);
  return result;
}

InferResult infer(const Problem& problem, const InferOptions& options) {
  ThreadRunner runner;
  return infer(problem, options, runner);
}

}  // namespace epsfree
