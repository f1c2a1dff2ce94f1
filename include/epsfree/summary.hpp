// What a run did and what it cost.
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "epsfree/simulator.hpp"
#include "epsfree/training.hpp"

namespace epsfree {

/// Simulations by how they ended.
struct SimulationCounts {
  std::array<long, kNumSimStatuses> by_status{};
  long total() const;
  long operator[](SimStatus status) const { return by_status[static_cast<std::size_t>(status)]; }
  /// Those that are faults of the machinery: failed, timeout and lost. An invalid one is an answer.
  long num_faults() const;
  void add(const std::array<long, kNumSimStatuses>& counts);
};

/// A density that the default method stacked, and its share.
struct StackMember {
  std::string name;  ///< "mixture of 4", "mixture of 4, squashed", "linear likelihood", "network"
  double weight = 0;
};

/// One round of Algorithm 1 or of the default method, the final training, or a part of an ABC
/// method.
struct RoundSummary {
  std::string phase;  ///< "round" or "final"; "rejection", "start", "chains", "population"
  int round = 0;      ///< 1 for the first
  SimulationCounts simulations;
  double proposal_mass =
      1;  ///< of the Gaussian proposal on the prior's support; the rest is redrawn
  TrainingSummary training;
  double effective_examples = 0;  ///< simulations that the default method's fit rests on
  double tempering = 1;  ///< above one: the observation lay that far outside what was simulated
  std::vector<StackMember> stack;  ///< what the default method's fit consists of
  double simulation_seconds = 0;
  /// With a strategy of the paper: corrections that were not positive definite, mended or not.
  int components_improper = 0;
  int components_damped = 0;   ///< corrections smaller than their sampling error, and so damped
  int components_dropped = 0;  ///< corrections that had no closed form at all
  bool proposal_uncorrected = false;  ///< no correction was usable: the next proposal is q itself
  bool proposal_kept = false;         ///< nor was q: the proposal before it stays
  double proposal_change = 0;  ///< KL(new proposal || the one before); NaN where there is none
  double epsilon = 0;          ///< of an ABC method; 0: none
  double acceptance_rate = 0;  ///< of its simulations
  double effective_size = 0;   ///< of what it accepted
  Eigen::VectorXd mean;  ///< of the proposal or posterior after it, in the prior's coordinates
  Eigen::VectorXd standard_deviation;
};

/// Markov chains after their burn-in.
struct ChainSummary {
  int num_chains = 0;
  long burn_in = 0;    ///< steps that were thrown away
  long num_steps = 0;  ///< of each chain, after those
  double acceptance_rate = 0;
  std::vector<double> acceptance_rates = {};  ///< of each chain
  /// Split R-hat of each parameter (effective_size.hpp); empty where the chains are too short.
  Eigen::VectorXd rhat = {};
};

/// Where in parameter space simulations failed (failed, timeout, lost), compared with the
/// successful simulations in the same rounds. Only rounds with both count, since rounds draw from
/// different places. One entry per parameter; empty if none failed or nothing can be compared.
struct FaultSummary {
  Eigen::VectorXd failed_mean, failed_deviation;
  Eigen::VectorXd successful_mean, successful_deviation;
};

/// Born saying that nothing ran.
struct Summary {
  std::string method = "none";
  std::uint64_t seed = 0;
  bool finished = false;
  SimulationCounts simulations;  ///< every call of the simulator, the pilot's included
  long num_pilot_simulations = 0;
  /// Why fewer simulations were made than the options allow. Empty if the budget was spent, or if
  /// the rest was too small to be useful.
  std::string unspent_because = {};
  std::vector<RoundSummary> rounds;
  bool proposal_converged = false;  ///< Algorithm 1 stopped because the proposal had converged
  /// "none", "analytic", "analytic, damped", "analytic on fewer components" or "importance".
  std::string correction = "none";
  /// Of an importance correction, of the samples of an ABC method, or of Markov chains (appendix
  /// E); 0 where there was none.
  double effective_sample_size = 0;
  ChainSummary chains;          ///< no chains where the method has none
  double epsilon = 0;           ///< that an ABC method has reached; 0 where all matches are exact
  std::string adjustment = {};  ///< of an ABC method: "none", "linear" or "neural"
  /// Of an ABC method without adjustment: how far linear regression adjustment would still move its
  /// posterior, in means over standard deviations or logarithms of these, whichever moves most.
  /// NaN: not known.
  double blur = std::numeric_limits<double>::quiet_NaN();
  /// How far the posterior is expected to move if the budget is doubled, in means over standard
  /// deviations or logarithms of these, whichever moves most. Only the default method knows it, and
  /// only with InferOptions::predict_change; otherwise NaN.
  double expected_change = std::numeric_limits<double>::quiet_NaN();
  double mass_on_support = 1;  ///< of the mixture before it was normalised on the support
  double mass_on_support_error = 0;
  double total_seconds = 0;
  double simulation_seconds = 0;
  double training_seconds = 0;
  /// Where in parameter space the simulations that are not ok lie: the 5% and 95% quantiles of each
  /// of their parameters. Empty where there are none.
  Eigen::VectorXd dropped_low, dropped_high;
  FaultSummary faults;  ///< where those lie that are faults, invalid ones left out
  std::vector<std::string> warnings;

  /// Whether the method accepts what falls within an epsilon.
  bool is_abc() const;
};

}  // namespace epsfree
