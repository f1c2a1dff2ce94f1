// Marjoram, Molitor, Plagnol & Tavare (2003): Metropolis chains that move only to where a
// simulation comes within epsilon.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "epsfree/effective_size.hpp"
#include "epsfree/error.hpp"
#include "infer/abc/abc_methods.hpp"
#include "infer/abc/abc_run.hpp"
#include "infer/coordinates.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/metropolis.hpp"

namespace epsfree {
namespace {

// Steps that propose nothing which could be simulated, one after the other, until the chains are
// given up.
constexpr long kMostIdleSteps = 10000;

class McmcRun {
 public:
  explicit McmcRun(InferenceRun& run)
      : run_(run),
        options_(std::get<McmcOptions>(run.options().method)),
        distance_(make_distance(run)) {}

  InferResult result() {
    find_starts();
    return run_chains();
  }

 private:
  /// Rejection from the prior: the chains begin in what it accepts.
  void find_starts() {
    RoundSummary round = new_round("start", 1);
    Index count = options_.start_simulations > 0 ? options_.start_simulations
                                                 : run_.options().num_simulations / 5;
    count = std::min(std::max<Index>(count, 1), run_.budget_left());
    if (count <= 0 || count == run_.budget_left()) {
      throw Error(ErrorKind::stopped,
                  "looking for starts would spend the whole budget; raise method.num_simulations, "
                  "or lower method.mcmc.start_simulations or method.pilot.num_simulations");
    }
    const Eigen::MatrixXd thetas =
        draw_from_prior(run_.prior(), run_.options().seed, 1, 0, count, run_.num_threads());
    const Key key{.purpose = Purpose::simulation, .round = 1};
    const SimulationResults results = run_.simulate(thetas, key, round, DrawnFrom::prior);
    run_.require_usable(results, thetas, key, 1, "start");
    const std::string warning = distance_warning(run_, results.statistics);
    if (!warning.empty()) run_.warn(warning);
    const Eigen::VectorXd distances = distance_.of_columns(results.statistics, run_.num_threads());
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return distances[a] < distances[b]; });
    choose_epsilon(distances, order);
    while (!order.empty() && !(distances[order.back()] <= epsilon_)) order.pop_back();
    if (order.empty()) {
      throw Error(ErrorKind::stopped,
                  "no chain can start: none of " + std::to_string(count) +
                      " simulations from the prior came within method.mcmc.epsilon = " +
                      number_text(epsilon_) + " (the nearest was " +
                      number_text(distances.minCoeff()) +
                      " away). Raise epsilon or method.mcmc.start_simulations, or use smc-abc");
    }
    starts_.thetas = thetas(Eigen::all, order);
    starts_.statistics = results.statistics(Eigen::all, order);
    starts_.distances = distances(order);
    starts_.weights.setOnes(static_cast<Index>(order.size()));
    starts_.epsilon = epsilon_;
    round.acceptance_rate = static_cast<double>(order.size()) / static_cast<double>(count);
    describe_sample(run_.prior(), starts_, static_cast<double>(order.size()), round);
    run_.finish_round(std::move(round));
  }

  void choose_epsilon(const Eigen::VectorXd& distances, const std::vector<Index>& order) {
    epsilon_ = options_.epsilon;
    if (epsilon_ > 0) return;
    // Of those that are usable; `order` is that of the distances.
    const auto usable = (distances.array() < kInfinity).count();
    if (usable == 0) explain_infinite_distances(distances.size());
    const double wanted = options_.start_fraction * static_cast<double>(usable);
    epsilon_ = distances[order[static_cast<std::size_t>(std::max(1.0, wanted)) - 1]];
  }

  /// Of the first steps: the starts' own where they are enough, else the prior's, made smaller.
  Eigen::MatrixXd first_covariance(const Eigen::MatrixXd& z) const {
    const Eigen::VectorXd prior_variance = run_.prior().coordinate_std().cwiseAbs2();
    const Eigen::MatrixXd unit = prior_variance.asDiagonal();
    if (options_.shape == StepShape::spherical) {
      if (options_.scale > 0) return unit;
      const Eigen::MatrixXd centred = z.colwise() - z.rowwise().mean();
      const Eigen::VectorXd variance =
          centred.rowwise().squaredNorm() / static_cast<double>(z.cols());
      const double ratio = variance.cwiseQuotient(prior_variance).mean();
      return std::max(ratio, 1e-4) * unit;
    }
    const Eigen::MatrixXd centred = z.colwise() - z.rowwise().mean();
    const Eigen::MatrixXd own = centred * centred.transpose() / static_cast<double>(z.cols());
    const bool enough = z.cols() >= 5 * z.rows();
    return enough ? Eigen::MatrixXd(own + 1e-6 * unit) : Eigen::MatrixXd(own + 1e-2 * unit);
  }

  InferResult run_chains() {
    RoundSummary round = new_round("chains", 2);
    const Index num_chains = std::min<Index>(options_.num_chains, run_.budget_left());
    const Eigen::MatrixXd z = coordinates_of(run_.prior(), starts_.thetas);
    // The starts are in the order of their distance; chains take those that lie farthest apart in
    // it, so that they do not all begin in the same place.
    std::vector<Index> chosen;
    for (Index c = 0; c < num_chains; ++c) chosen.push_back(c * z.cols() / num_chains);
    Eigen::VectorXd densities(num_chains);
    for (Index c = 0; c < num_chains; ++c) {
      densities[c] = log_prior_density(run_.prior(), z.col(chosen[static_cast<std::size_t>(c)]));
    }
    MetropolisChains chains(z(Eigen::all, chosen), densities, first_covariance(z),
                            {.full = options_.shape == StepShape::full, .scale = options_.scale});
    statistics_ = starts_.statistics(Eigen::all, chosen);
    distances_ = starts_.distances(chosen);

    long idle = 0;
    // Of the steps that the budget is sure to pay for. There are more where the prior refuses
    // proposals, which costs nothing.
    const Index sure = run_.budget_left() / num_chains;
    const long burn_in =
        std::max<long>(1, std::lround(options_.burn_in * static_cast<double>(sure)));
    for (long step = 0; run_.budget_left() >= num_chains; ++step) {
      const Index before = run_.budget_left();
      const Index moved = make_step(chains, step, round);
      idle = run_.budget_left() == before ? idle + 1 : 0;
      if (idle > kMostIdleSteps) break;
      if (step < burn_in) {
        chains.tune(step, burn_in);
      } else {
        keep(chains, moved);
      }
    }
    return finish(chains, std::move(round), burn_in);
  }

  Index make_step(MetropolisChains& chains, long step, RoundSummary& round) {
    const Index num_chains = chains.num_chains();
    std::vector<Stream> streams;
    for (Index c = 0; c < num_chains; ++c) {
      streams.emplace_back(run_.options().seed, Key{.purpose = Purpose::markov_chain,
                                                    .round = static_cast<std::uint32_t>(c),
                                                    .index = static_cast<std::uint64_t>(step)});
    }
    chains.propose(streams);
    Eigen::VectorXd densities(num_chains);
    std::vector<Index> candidates, offsets;
    for (Index c = 0; c < num_chains; ++c) {
      densities[c] = log_prior_density(run_.prior(), chains.proposals().col(c));
      // What the prior alone refuses need not be simulated.
      if (!chains.would_accept(c, densities[c])) continue;
      candidates.push_back(c);
      offsets.push_back(step * num_chains + c);
    }
    Eigen::VectorXd targets = Eigen::VectorXd::Constant(num_chains, -kInfinity);
    SimulationResults results;
    Eigen::VectorXd distances;
    if (!candidates.empty()) {
      const Eigen::MatrixXd thetas =
          thetas_of(run_.prior(), chains.proposals()(Eigen::all, candidates));
      results = run_.simulate(thetas, {.purpose = Purpose::simulation, .round = 2}, round,
                              DrawnFrom::proposal, offsets);
      distances = distance_.of_columns(results.statistics, 1);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (distances[static_cast<Index>(i)] <= epsilon_) {
          targets[candidates[i]] = densities[candidates[i]];
        }
      }
    }
    const Index moved = chains.decide(targets);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!chains.moved()[static_cast<std::size_t>(candidates[i])]) continue;
      statistics_.col(candidates[i]) = results.statistics.col(static_cast<Index>(i));
      distances_[candidates[i]] = distances[static_cast<Index>(i)];
    }
    return moved;
  }

  /// A state that stays for some steps is one sample with that weight.
  void keep(const MetropolisChains& chains, Index moved) {
    const Index num_chains = chains.num_chains();
    const bool first = num_steps_ == 0;
    if (first) {
      latest_.resize(static_cast<std::size_t>(num_chains));
      moves_.assign(static_cast<std::size_t>(num_chains), 0);
      history_.resize(static_cast<std::size_t>(num_chains));
    }
    num_moved_ += moved;
    ++num_steps_;
    for (Index c = 0; c < num_chains; ++c) {
      const auto chain = static_cast<std::size_t>(c);
      if (chains.moved()[chain]) ++moves_[chain];
      if (first || chains.moved()[chain]) {
        latest_[chain] = weights_.size();
        weights_.push_back(0);
        kept_distances_.push_back(distances_[c]);
        points_.insert(points_.end(), chains.states().col(c).begin(), chains.states().col(c).end());
        outcomes_.insert(outcomes_.end(), statistics_.col(c).begin(), statistics_.col(c).end());
      }
      weights_[latest_[chain]] += 1;
      history_[chain].push_back(latest_[chain]);
    }
  }

  /// The states of each chain, one per step.
  std::vector<Eigen::MatrixXd> chain_states(const Eigen::MatrixXd& z) const {
    std::vector<Eigen::MatrixXd> chains;
    for (const std::vector<std::size_t>& states : history_) {
      Eigen::MatrixXd chain(z.rows(), static_cast<Index>(states.size()));
      for (std::size_t i = 0; i < states.size(); ++i) {
        chain.col(static_cast<Index>(i)) = z.col(static_cast<Index>(states[i]));
      }
      chains.push_back(std::move(chain));
    }
    return chains;
  }

  InferResult finish(const MetropolisChains& chains, RoundSummary round, long burn_in) {
    const auto proposals = static_cast<double>(num_steps_ * chains.num_chains());
    if (num_steps_ == 0) {
      throw Error(ErrorKind::stopped,
                  "the budget left no step after the burn-in of " + std::to_string(burn_in) +
                      " steps of " + std::to_string(chains.num_chains()) +
                      " chains. Raise method.num_simulations, or lower method.mcmc.num_chains or "
                      "method.mcmc.burn_in");
    }
    if (num_moved_ == 0) {
      throw Error(ErrorKind::stopped,
                  "no chain moved in " + std::to_string(num_steps_) +
                      " steps after the burn-in of " + std::to_string(burn_in) +
                      ". Raise method.mcmc.epsilon or method.num_simulations, or lower "
                      "method.mcmc.scale (0: tuned)");
    }
    const long still = static_cast<long>(std::count(moves_.begin(), moves_.end(), 0));
    if (still > 0) {
      run_.warn(std::to_string(still) + " of " + std::to_string(chains.num_chains()) +
                " chains never moved after the burn-in; raise method.mcmc.epsilon or "
                "method.num_simulations, or lower method.mcmc.num_chains");
    }
    round.acceptance_rate = static_cast<double>(num_moved_) / proposals;
    ChainSummary& summary = run_.summary().chains;
    summary = {.num_chains = static_cast<int>(chains.num_chains()),
               .burn_in = burn_in,
               .num_steps = num_steps_,
               .acceptance_rate = round.acceptance_rate};
    for (const long moves : moves_) {
      summary.acceptance_rates.push_back(static_cast<double>(moves) /
                                         static_cast<double>(num_steps_));
    }
    const auto count = static_cast<Index>(weights_.size());
    const Eigen::MatrixXd z =
        Eigen::Map<const Eigen::MatrixXd>(points_.data(), run_.prior().dim(), count);
    AbcSample sample;
    sample.thetas = thetas_of(run_.prior(), z);
    sample.statistics =
        Eigen::Map<const Eigen::MatrixXd>(outcomes_.data(), run_.problem().observed.size(), count);
    sample.distances = Eigen::Map<const Eigen::VectorXd>(kept_distances_.data(), count);
    sample.weights = Eigen::Map<const Eigen::VectorXd>(weights_.data(), count);
    sample.epsilon = epsilon_;
    const std::vector<Eigen::MatrixXd> states = chain_states(z);
    if (num_steps_ >= kShortestForRhat) summary.rhat = split_rhat(states);
    return finish_abc(run_, std::move(sample), effective_size_of_chains(states), std::move(round));
  }

  InferenceRun& run_;
  const McmcOptions& options_;
  const Distance distance_;
  double epsilon_ = 0;
  AbcSample starts_;
  Eigen::MatrixXd statistics_;  // of the chains' states
  Eigen::VectorXd distances_;
  // Different states after the burn-in, how many steps each stayed, and which one each chain was
  // in.
  std::vector<double> points_, outcomes_, kept_distances_, weights_;
  std::vector<std::size_t> latest_;
  std::vector<std::vector<std::size_t>> history_;
  std::vector<long> moves_;
  long num_steps_ = 0;
  long num_moved_ = 0;
};

}  // namespace

InferResult mcmc_abc(InferenceRun& run) { return McmcRun(run).result(); }

}  // namespace epsfree
