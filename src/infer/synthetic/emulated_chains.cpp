#include "infer/synthetic/emulated_chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/number_text.hpp"
#include "epsfree/error.hpp"
#include "infer/synthetic/emulated_likelihood.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/metropolis.hpp"

namespace epsfree {
namespace {

// Parameters of the first design, per dimension and in all; the cost of emulators is cubic.
constexpr Index kPointsPerDimension = 10;
constexpr Index kMostFirstPoints = 100;
constexpr Index kMostPoints = 200;
// Simulations are asked for so often before a step is decided all the same.
constexpr int kAttemptsPerStep = 3;
// The search ends when so many steps in a row were certain.
constexpr long kQuietSteps = 100;
// Shapes are found anew when the design has grown by this factor.
constexpr double kGrowth = 1.5;
// Decisions that are looked at in the end, and the share of them that may be uncertain.
constexpr Index kNumChecked = 200;
constexpr double kFewUncertain = 0.1;

constexpr const char* kEmulatorAdvice =
    "Raise method.synthetic.num_steps, or method.num_simulations if the emulators are uncertain.";

class EmulatedChains {
 public:
  EmulatedChains(SyntheticRun& run, LikelihoodRounds& rounds)
      : run_(run),
        rounds_(rounds),
        likelihood_(rounds.likelihood().statistics(), rounds.proposal()),
        num_replicates_(run.options().replicates()),
        round_(new_round("design", rounds.num_rounds() + 1)) {
    const Eigen::MatrixXd points = rounds.chains().all();
    const Eigen::MatrixXd centred = points.colwise() - points.rowwise().mean();
    covariance_ = centred * centred.transpose() / static_cast<double>(points.cols());
    covariance_.diagonal() += 1e-12 * run.prior().coordinate_std().cwiseAbs2();
  }

  InferResult result();

 private:
  bool can_simulate() { return run_.remaining() >= num_replicates_; }
  void simulate(const Eigen::MatrixXd& z);
  void learn();
  double log_rest(const Eigen::Ref<const Eigen::VectorXd>& z) const {
    return run_.log_prior(z) + validity_.log_prob(z);
  }
  double log_posterior(const Eigen::Ref<const Eigen::VectorXd>& z) const {
    const double prior = run_.log_prior(z);
    return prior == -kInfinity ? prior : prior + validity_.log_prob(z) + likelihood_(z);
  }
  std::vector<Stream> draws(int walk, long step) const { return run_.streams(walk, step); }
  void search();
  void check(const ChainStates& chains);

  SyntheticRun& run_;
  LikelihoodRounds& rounds_;
  EmulatedLikelihood likelihood_;
  ValidityModel validity_;
  Eigen::MatrixXd z_;  // of all simulations here, and how they ended
  std::vector<SimStatus> statuses_;
  Index num_replicates_;
  Eigen::MatrixXd covariance_;
  Eigen::MatrixXd states_;
  Index learnt_from_ = 0;  // points that the shapes were found with
  RoundSummary round_;
};

void EmulatedChains::simulate(const Eigen::MatrixXd& z) {
  const SimulationResults results = run_.simulate(z, num_replicates_, round_);
  for (Index i = 0; i < z.cols(); ++i) {
    std::vector<Index> ok;
    for (Index r = i * num_replicates_; r < (i + 1) * num_replicates_; ++r) {
      if (results.statuses[static_cast<std::size_t>(r)] == SimStatus::ok) ok.push_back(r);
    }
    likelihood_.add(z.col(i), results.statistics(Eigen::all, ok));
  }
  const Index before = z_.cols();
  z_.conservativeResize(z.rows(), before + z.cols() * num_replicates_);
  for (Index i = 0; i < z.cols(); ++i) {
    z_.middleCols(before + i * num_replicates_, num_replicates_).colwise() = z.col(i);
  }
  statuses_.insert(statuses_.end(), results.statuses.begin(), results.statuses.end());
}

void EmulatedChains::learn() {
  const bool new_shapes =
      static_cast<double>(likelihood_.num_points()) >= kGrowth * static_cast<double>(learnt_from_);
  if (new_shapes) learnt_from_ = likelihood_.num_points();
  likelihood_.learn(new_shapes);
  if (new_shapes) validity_ = ValidityModel(z_, statuses_);
}

/// Steps of the chains, with more simulations wherever the decision is uncertain.
void EmulatedChains::search() {
  const double scale = 2.38 / std::sqrt(static_cast<double>(run_.dim()));
  const double max_error = run_.options().max_error;
  const int walk = run_.begin_walk(), errors = run_.begin_walk();
  long quiet = 0;
  for (long step = 0; step < run_.options().num_steps && quiet < kQuietSteps; ++step, ++quiet) {
    Eigen::VectorXd densities(states_.cols());
    const auto evaluate = [&](const Eigen::MatrixXd& z) {
      for (Index c = 0; c < z.cols(); ++c) densities[c] = log_posterior(z.col(c));
      return densities;
    };
    std::vector<Stream> streams = draws(walk, step);
    MetropolisChains chains(states_, evaluate(states_), covariance_, {.scale = scale});
    chains.propose(streams);
    const Eigen::MatrixXd proposals = chains.proposals();
    std::vector<Stream> noise = draws(errors, step);
    for (int attempt = 0; attempt < kAttemptsPerStep; ++attempt) {
      std::vector<Index> uncertain;
      for (Index c = 0; c < states_.cols(); ++c) {
        if (run_.log_prior(proposals.col(c)) == -kInfinity) continue;
        const double ratio = log_rest(proposals.col(c)) - log_rest(states_.col(c));
        if (likelihood_.decision_error(states_.col(c), proposals.col(c), ratio,
                                       noise[static_cast<std::size_t>(c)]) > max_error) {
          uncertain.push_back(c);
        }
      }
      const Index affordable =
          std::min(run_.remaining() / num_replicates_, kMostPoints - likelihood_.num_points());
      if (affordable <= 0) return;
      if (static_cast<Index>(uncertain.size()) > affordable) {
        uncertain.resize(static_cast<std::size_t>(affordable));
      }
      if (uncertain.empty()) break;
      quiet = 0;
      Eigen::MatrixXd wanted(run_.dim(), static_cast<Index>(uncertain.size()));
      for (std::size_t i = 0; i < uncertain.size(); ++i) {
        const Index c = uncertain[i];
        const bool here =
            likelihood_.uncertainty(states_.col(c)) > likelihood_.uncertainty(proposals.col(c));
        wanted.col(static_cast<Index>(i)) = (here ? states_ : proposals).col(c);
      }
      simulate(wanted);
      learn();
    }
    // The same proposals and decisive numbers, on what the emulators say now.
    std::vector<Stream> again = draws(walk, step);
    MetropolisChains informed(states_, evaluate(states_), covariance_, {.scale = scale});
    informed.propose(again);
    informed.decide(evaluate(proposals));
    states_ = informed.states();
  }
}

/// Says how many decisions of the final chains are still uncertain.
void EmulatedChains::check(const ChainStates& chains) {
  const Eigen::MatrixXd states = chains.all();
  const Index count = std::min(kNumChecked, states.cols());
  Stream stream(run_.run().options().seed, {.purpose = Purpose::importance});
  Index uncertain = 0;
  for (Index i = 0; i < count; ++i) {
    const auto z = states.col(i * (states.cols() / count));
    const auto other =
        states.col(static_cast<Index>(stream.below(static_cast<std::uint64_t>(states.cols()))));
    if (likelihood_.decision_error(z, other, log_rest(other) - log_rest(z), stream) >
        run_.options().max_error) {
      ++uncertain;
    }
  }
  const double share = static_cast<double>(uncertain) / static_cast<double>(count);
  if (share <= kFewUncertain) return;
  const bool is_full = likelihood_.num_points() >= kMostPoints;
  run_.run().warn("the emulators leave " + number_text(std::round(100 * share)) +
                  "% of the decisions between two parameters more uncertain than "
                  "method.synthetic.max_error; raise " +
                  (is_full ? "method.synthetic.num_replicates (" + std::to_string(kMostPoints) +
                                 " parameters are the most that are emulated)"
                           : std::string("method.num_simulations")));
}

InferResult EmulatedChains::result() {
  const Index wanted = std::min(kMostFirstPoints, kPointsPerDimension * (run_.dim() + 1));
  const Index affordable = run_.remaining() / num_replicates_;
  const Index count = std::clamp<Index>(wanted, 1, std::max<Index>(1, affordable));
  simulate(run_.draw({rounds_.proposal()}, count, round_));
  const Index fewest = 2 * (run_.dim() + 1);
  if (likelihood_.num_points() < fewest) {
    throw Error(ErrorKind::stopped,
                "only " + std::to_string(likelihood_.num_points()) + " of " +
                    std::to_string(count) + " parameters had three valid simulations or more; " +
                    "the emulators need " + std::to_string(fewest) +
                    ". Raise method.num_simulations or method.synthetic.num_replicates.");
  }
  learn();
  const std::vector<Eigen::MatrixXd>& pilot = rounds_.chains().states;
  states_.resize(run_.dim(), run_.options().num_chains);
  for (Index c = 0; c < states_.cols(); ++c) {
    states_.col(c) = pilot[static_cast<std::size_t>(c)].rightCols(1);
  }
  search();
  likelihood_.learn(true);
  validity_ = ValidityModel(z_, statuses_);
  const RoundSummary round = round_;
  const ChainStates chains = run_.walk(
      [&](const Eigen::Ref<const Eigen::VectorXd>& z) {
        return validity_.log_prob(z) + likelihood_(z);
      },
      states_, covariance_, run_.options().num_steps, round);
  check(chains);
  return run_.finish(chains, std::move(round_), kEmulatorAdvice);
}

}  // namespace

InferResult emulated_chains(SyntheticRun& run, LikelihoodRounds& rounds) {
  return EmulatedChains(run, rounds).result();
}

}  // namespace epsfree
