#include "infer/synthetic/replicate_chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "epsfree/error.hpp"
#include "infer/synthetic/replicate_likelihood.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/metropolis.hpp"

namespace epsfree {
namespace {

// Starts at which every replicate is invalid are drawn again so often.
constexpr int kMaxStarts = 20;
// Steps outside the support cost nothing; a chain in a corner takes many, but not for ever.
constexpr long kMostFreeSteps = 10;

constexpr const char* kReplicateAdvice =
    "Raise method.num_simulations for longer chains, or method.synthetic.num_replicates where "
    "nearly all proposals are refused because the estimated likelihood scatters; with fewer "
    "than some times as many replicates as statistics method.synthetic.unbiased = false, which "
    "scatters less.";

class ReplicateChains {
 public:
  ReplicateChains(SyntheticRun& run, LikelihoodRounds& rounds)
      : run_(run), rounds_(rounds), num_replicates_(run.options().replicates()) {}

  InferResult result();

 private:
  // Of prior times likelihood, -inf outside the support and where no replicate is valid.
  struct Densities {
    Eigen::VectorXd plug_in, unbiased;
  };
  Densities densities_at(const Eigen::MatrixXd& z, RoundSummary& round);
  Index num_inside(const Eigen::MatrixXd& z) const;
  MetropolisChains start(RoundSummary& round);

  SyntheticRun& run_;
  LikelihoodRounds& rounds_;
  Index num_replicates_;
  Eigen::VectorXd unbiased_;  // at the chains' states
};

Index ReplicateChains::num_inside(const Eigen::MatrixXd& z) const {
  Index count = 0;
  for (Index i = 0; i < z.cols(); ++i) count += run_.log_prior(z.col(i)) > -kInfinity ? 1 : 0;
  return count;
}

ReplicateChains::Densities ReplicateChains::densities_at(const Eigen::MatrixXd& z,
                                                         RoundSummary& round) {
  Densities result;
  result.plug_in = result.unbiased = Eigen::VectorXd::Constant(z.cols(), -kInfinity);
  std::vector<Index> inside;
  for (Index i = 0; i < z.cols(); ++i) {
    if (run_.log_prior(z.col(i)) > -kInfinity) inside.push_back(i);
  }
  if (inside.empty()) return result;
  const SimulationResults simulated = run_.simulate(z(Eigen::all, inside), num_replicates_, round);
  for (std::size_t k = 0; k < inside.size(); ++k) {
    const Index first = static_cast<Index>(k) * num_replicates_;
    std::vector<Index> ok;
    double num_invalid = 0;
    for (Index i = first; i < first + num_replicates_; ++i) {
      const SimStatus status = simulated.statuses[static_cast<std::size_t>(i)];
      if (status == SimStatus::ok) ok.push_back(i);
      num_invalid += status == SimStatus::invalid ? 1 : 0;
    }
    const double num_ok = static_cast<double>(ok.size());
    if (ok.size() < 2) continue;
    const ReplicateLikelihood likelihood = replicate_likelihood(
        rounds_.likelihood().statistics().apply(simulated.statistics(Eigen::all, ok)));
    // p(x_o, valid | z) = p(valid | z) p(x_o | valid, z); faults tell nothing of nature.
    const double common =
        run_.log_prior(z.col(inside[k])) + std::log(num_ok / (num_ok + num_invalid));
    result.plug_in[inside[k]] = common + likelihood.plug_in;
    result.unbiased[inside[k]] = common + likelihood.unbiased;
  }
  return result;
}

MetropolisChains ReplicateChains::start(RoundSummary& round) {
  const std::vector<Eigen::MatrixXd>& pilot = rounds_.chains().states;
  const Index num_chains = run_.options().num_chains, length = pilot[0].cols();
  Eigen::MatrixXd states(run_.dim(), num_chains);
  Eigen::VectorXd plug_in = Eigen::VectorXd::Constant(num_chains, -kInfinity);
  unbiased_ = plug_in;
  for (int attempt = 0; attempt < kMaxStarts; ++attempt) {
    std::vector<Index> missing;
    for (Index c = 0; c < num_chains; ++c) {
      if (std::isfinite(plug_in[c])) continue;
      missing.push_back(c);
      states.col(c) =
          pilot[static_cast<std::size_t>(c)].col(length - 1 - attempt * (length / kMaxStarts));
    }
    if (missing.empty()) break;
    if (run_.remaining() < static_cast<Index>(missing.size()) * num_replicates_) break;
    const Densities found = densities_at(states(Eigen::all, missing), round);
    plug_in(missing) = found.plug_in;
    unbiased_(missing) = found.unbiased;
  }
  if (!plug_in.allFinite()) {
    throw Error(ErrorKind::stopped,
                "chains found no start at which at least two of " +
                    std::to_string(num_replicates_) +
                    " simulations are valid. Raise method.synthetic.num_replicates or "
                    "method.num_simulations, or narrow the prior.");
  }
  const Eigen::MatrixXd points = rounds_.chains().all();
  const Eigen::MatrixXd centred = points.colwise() - points.rowwise().mean();
  Eigen::MatrixXd covariance = centred * centred.transpose() / static_cast<double>(points.cols());
  covariance.diagonal() += 1e-12 * run_.prior().coordinate_std().cwiseAbs2();
  return {std::move(states), std::move(plug_in), covariance};
}

InferResult ReplicateChains::result() {
  const bool unbiased = run_.options().unbiased;
  RoundSummary round = new_round("chains", rounds_.num_rounds() + 1);
  MetropolisChains chains = start(round);
  const Index num_chains = chains.num_chains();
  const long num_steps = run_.remaining() / (num_chains * num_replicates_);
  ChainStates visited;
  // At least one step, after which chains go over to the unbiased estimate.
  visited.burn_in =
      std::max<long>(1, std::lround(run_.options().burn_in * static_cast<double>(num_steps)));
  std::vector<Eigen::MatrixXd> kept;
  double num_moved = 0;
  const int walk = run_.begin_walk();
  // Longer than num_steps where proposals outside the support have saved simulations.
  for (long step = 0; step < kMostFreeSteps * num_steps; ++step) {
    std::vector<Stream> streams = run_.streams(walk, step);
    chains.propose(streams);
    if (num_inside(chains.proposals()) * num_replicates_ > run_.remaining()) break;
    if (step >= num_steps && run_.remaining() == 0) break;
    const Densities found = densities_at(chains.proposals(), round);
    // The plug-in estimate leads to the posterior from afar, where the unbiased one is zero.
    const bool burning_in = step < visited.burn_in;
    num_moved += static_cast<double>(
        chains.decide(burning_in || !unbiased ? found.plug_in : found.unbiased));
    for (Index c = 0; c < num_chains; ++c) {
      if (chains.moved()[static_cast<std::size_t>(c)]) unbiased_[c] = found.unbiased[c];
    }
    if (!burning_in) {
      kept.push_back(chains.states());
      continue;
    }
    chains.tune(step, visited.burn_in);
    if (step + 1 < visited.burn_in) continue;
    num_moved = 0;
    const Eigen::VectorXd from =
        (unbiased_.array() > -kInfinity).select(unbiased_, chains.log_densities());
    chains = MetropolisChains(chains.states(), unbiased ? from : chains.log_densities(),
                              chains.covariance(), {.scale = chains.scale()});
  }
  const auto length = static_cast<Index>(kept.size());
  visited.acceptance_rate = num_moved / std::max(1.0, static_cast<double>(num_chains * length));
  for (Index c = 0; c < num_chains; ++c) {
    Eigen::MatrixXd states(run_.dim(), length);
    for (Index i = 0; i < length; ++i) states.col(i) = kept[static_cast<std::size_t>(i)].col(c);
    visited.states.push_back(std::move(states));
  }
  return run_.finish(visited, std::move(round), kReplicateAdvice);
}

}  // namespace

InferResult replicate_chains(SyntheticRun& run, LikelihoodRounds& rounds) {
  return ReplicateChains(run, rounds).result();
}

}  // namespace epsfree
