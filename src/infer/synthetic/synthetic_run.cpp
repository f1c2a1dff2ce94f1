#include "infer/synthetic/synthetic_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/number_text.hpp"
#include "epsfree/effective_size.hpp"
#include "epsfree/error.hpp"
#include "infer/coordinates.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/metropolis.hpp"

namespace epsfree {
namespace {

// Steps of chains that cost nothing between two questions whether to go on.
constexpr long kStepsPerReport = 200;
// Posterior means have a tenth of a standard deviation of error with so many samples.
constexpr double kFewestEffective = 100;

std::vector<std::string> names_of(const Problem& problem) {
  return problem.names.empty() ? default_names(problem.prior->dim()) : problem.names;
}

/// Of the steps that a chain's states show.
double share_of_moves(const Eigen::MatrixXd& states) {
  Index moves = 0;
  for (Index i = 1; i < states.cols(); ++i) {
    if (states.col(i) != states.col(i - 1)) ++moves;
  }
  return static_cast<double>(moves) / static_cast<double>(std::max<Index>(1, states.cols() - 1));
}

}  // namespace

Index ChainStates::num_states() const {
  return states.empty() ? 0 : static_cast<Index>(states.size()) * states[0].cols();
}

Eigen::MatrixXd ChainStates::all() const {
  Eigen::MatrixXd result(states[0].rows(), num_states());
  Index next = 0;
  for (const Eigen::MatrixXd& chain : states) {
    result.middleCols(next, chain.cols()) = chain;
    next += chain.cols();
  }
  return result;
}

SyntheticRun::SyntheticRun(InferenceRun& run)
    : run_(run),
      prior_density_(LocalTarget::of_prior(run.prior())),
      support_(run.prior().coordinate_support()) {}

double SyntheticRun::log_prior(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  return support_.contains(z) ? prior_density_(z) : -kInfinity;
}

Eigen::MatrixXd SyntheticRun::draw(const Proposal& proposal, Index count, RoundSummary& round) {
  Stream stream(run_.options().seed,
                {.purpose = Purpose::parameters, .round = static_cast<std::uint32_t>(round.round)});
  return draw_coordinates(prior(), proposal, count, stream, round);
}

SimulationResults SyntheticRun::simulate(const Eigen::MatrixXd& z, Index num_replicates,
                                         RoundSummary& round, DrawnFrom drawn_from, long fewest) {
  Eigen::MatrixXd thetas(z.rows(), z.cols() * num_replicates);
  for (Index i = 0; i < z.cols(); ++i) {
    thetas.middleCols(i * num_replicates, num_replicates).colwise() =
        prior().from_coordinates(z.col(i));
  }
  const Key key{.purpose = Purpose::simulation, .round = ++num_batches_};
  SimulationResults results = run_.simulate(thetas, key, round, drawn_from);
  run_.require_usable(results, thetas, key, fewest,
                      round.phase + " " + std::to_string(round.round));
  return results;
}

std::vector<Stream> SyntheticRun::streams(int walk, long step) const {
  std::vector<Stream> result;
  for (int c = 0; c < options().num_chains; ++c) {
    // Each walk has its own range of indices.
    result.emplace_back(
        run_.options().seed,
        Key{.purpose = Purpose::markov_chain,
            .round = static_cast<std::uint32_t>(c),
            .index = (static_cast<std::uint64_t>(walk) << 40U) + static_cast<std::uint64_t>(step)});
  }
  return result;
}

ChainStates SyntheticRun::walk(const LogDensity& log_likelihood, const Eigen::MatrixXd& candidates,
                               const Eigen::MatrixXd& covariance, Index num_steps,
                               const RoundSummary& round) {
  const auto log_posterior = [&](const Eigen::Ref<const Eigen::VectorXd>& z) {
    const double prior = log_prior(z);
    return prior == -kInfinity ? prior : prior + log_likelihood(z);
  };
  Eigen::VectorXd densities(candidates.cols());
  for (Index i = 0; i < candidates.cols(); ++i) densities[i] = log_posterior(candidates.col(i));
  std::vector<Index> order;
  for (Index i = 0; i < candidates.cols(); ++i) {
    if (std::isfinite(densities[i])) order.push_back(i);
  }
  if (order.empty()) {
    throw Error(ErrorKind::stopped,
                "the synthetic likelihood is zero at every parameter tried in the " + round.phase +
                    " " + std::to_string(round.round) +
                    ". Check that the simulator can produce the observation, or raise "
                    "method.num_simulations.");
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return densities[a] > densities[b]; });
  std::vector<Index> starts;
  for (int c = 0; c < options().num_chains; ++c) {
    starts.push_back(order[static_cast<std::size_t>(c) % order.size()]);
  }

  MetropolisChains chains(candidates(Eigen::all, starts), densities(starts), covariance);
  const int number = begin_walk();
  ChainStates result;
  result.burn_in = std::min<long>(num_steps - 1,
                                  std::lround(options().burn_in * static_cast<double>(num_steps)));
  const Index kept = num_steps - result.burn_in;
  result.states.assign(starts.size(), Eigen::MatrixXd(dim(), kept));
  densities.resize(options().num_chains);
  for (long step = 0; step < num_steps; ++step) {
    std::vector<Stream> random = streams(number, step);
    chains.propose(random);
    for (Index c = 0; c < chains.num_chains(); ++c) {
      densities[c] = log_posterior(chains.proposals().col(c));
    }
    const Index moved = chains.decide(densities);
    if (step % kStepsPerReport == 0 &&
        run_.report_training(round.phase.c_str(), round.round, step, num_steps,
                             -chains.log_densities().mean()) == Action::stop) {
      throw Error(ErrorKind::interrupted, "interrupted while sampling (" + round.phase + " " +
                                              std::to_string(round.round) + ")");
    }
    if (step < result.burn_in) {
      chains.tune(step, result.burn_in);
      continue;
    }
    result.acceptance_rate += static_cast<double>(moved) / static_cast<double>(kept);
    for (std::size_t c = 0; c < starts.size(); ++c) {
      result.states[c].col(step - result.burn_in) = chains.states().col(static_cast<Index>(c));
    }
  }
  result.acceptance_rate /= static_cast<double>(starts.size());
  return result;
}

InferResult SyntheticRun::finish(const ChainStates& chains, RoundSummary round,
                                 const std::string& advice) {
  const auto num_steps = static_cast<long>(chains.states[0].cols());
  if (!(chains.acceptance_rate > 0)) {
    throw Error(ErrorKind::stopped, "no chain has moved in " + std::to_string(num_steps) +
                                        " steps after the burn-in. " + advice);
  }
  const double size = effective_size_of_chains(chains.states);
  Summary& summary = run_.summary();
  summary.effective_sample_size = size;
  summary.chains = {.num_chains = static_cast<int>(chains.states.size()),
                    .burn_in = chains.burn_in,
                    .num_steps = num_steps,
                    .acceptance_rate = chains.acceptance_rate};
  if (num_steps >= kShortestForRhat) summary.chains.rhat = split_rhat(chains.states);
  for (const Eigen::MatrixXd& states : chains.states) {
    summary.chains.acceptance_rates.push_back(share_of_moves(states));
  }
  if (size < kFewestEffective) {
    run_.warn("the chains are worth only " + number_text(std::round(10 * size) / 10) +
              " independent samples. " + advice);
  }
  const auto never_moved = std::count(summary.chains.acceptance_rates.begin(),
                                      summary.chains.acceptance_rates.end(), 0.0);
  if (never_moved > 0) {
    run_.warn(std::to_string(never_moved) + " of " + std::to_string(chains.states.size()) +
              " chains never moved after the burn-in. " + advice);
  }

  const Eigen::MatrixXd z = chains.all();
  round.mean = z.rowwise().mean();
  round.standard_deviation =
      ((z.colwise() - round.mean).rowwise().squaredNorm() / static_cast<double>(z.cols()))
          .cwiseSqrt();
  // The same share of each chain, its last state included.
  const Index per_chain =
      std::max<Index>(1, options().num_samples / static_cast<Index>(chains.states.size()));
  const Index stride = (num_steps + per_chain - 1) / per_chain;
  std::vector<Index> kept;
  for (Index c = 0; c < static_cast<Index>(chains.states.size()); ++c) {
    const Index first = kept.empty() ? 0 : static_cast<Index>(kept.size());
    for (Index step = num_steps - 1; step >= 0; step -= stride)
      kept.push_back(c * num_steps + step);
    std::reverse(kept.begin() + first, kept.end());
  }
  // What is not kept is worth nothing.
  summary.effective_sample_size = std::min(size, static_cast<double>(kept.size()));
  round.acceptance_rate = chains.acceptance_rate;
  round.effective_size = summary.effective_sample_size;
  Eigen::MatrixXd thetas = thetas_of(prior(), z(Eigen::all, kept));
  InferResult result;
  result.posterior = std::make_shared<SamplesPosterior>(
      run_.problem().prior, names_of(run_.problem()), WeightedSamples(std::move(thetas)));
  run_.finish_round(std::move(round));
  return result;
}

}  // namespace epsfree
