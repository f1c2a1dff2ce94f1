// What the strategies share: simulating, scaling, training and keeping the summary.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/interruption.hpp"
#include "epsfree/infer.hpp"
#include "infer/fault_tally.hpp"
#include "infer/memory.hpp"
#include "infer/method_entry.hpp"
#include "infer/proposal.hpp"

namespace epsfree {

/// Usable simulations: theta in the prior's coordinates, and x as the simulator returned it.
struct SimulatedPairs {
  Eigen::MatrixXd coordinates;
  Eigen::MatrixXd statistics;
  Eigen::VectorXd weights = {};  ///< of each in training, of mean one; empty: all one
  Index size() const { return coordinates.cols(); }
};

/// Whether a simulation's statistics are near enough to be recorded.
using DistanceFilter = std::function<bool(const Eigen::Ref<const Eigen::VectorXd>& statistics)>;

/// One inference in progress. The strategies are written in terms of it, so that they read like the
/// paper's algorithms.
class InferenceRun {
 public:
  InferenceRun(const Problem& problem, const InferOptions& options, const MethodEntry& method,
               Runner& runner, Observer* observer, Journal* journal = nullptr);

  const Problem& problem() const { return problem_; }
  const Prior& prior() const { return *problem_.prior; }
  const InferOptions& options() const { return options_; }
  Summary& summary() { return summary_; }
  Memory& memory() { return memory_; }

  /// The pilot run, if the options ask for one: learns how to scale the statistics.
  void scale_statistics();
  /// The same from statistics that are there already.
  void scale_statistics(const Eigen::MatrixXd& statistics);

  /// `count` pairs (theta_n, x_n) with theta_n from the proposal: only those that ended ok. Adds
  /// what they cost to `round` and to the summary. Throws ErrorKind::stopped if fewer than
  /// `fewest_usable` are ok.
  SimulatedPairs simulate(const Proposal& proposal, Index count, RoundSummary& round,
                          long fewest_usable = 10);

  /// The thetas that are given, with the key of the first, what they were drawn from, and what else
  /// a request can say. Adds what they cost to `round` and to the summary.
  SimulationResults simulate(const Eigen::MatrixXd& thetas, const Key& first, RoundSummary& round,
                             DrawnFrom drawn_from, std::span<const Index> offsets = {},
                             const DistanceFilter& worth_recording = {});
  /// Throws ErrorKind::stopped, with what the first fault said, if fewer than `fewest` are ok.
  /// `budget`: the option that buys more of them.
  void require_usable(const SimulationResults& results, const Eigen::MatrixXd& thetas,
                      const Key& key, long fewest, const std::string& where,
                      const std::string& budget = "method.num_simulations") const;
  /// `count` simulations from the prior that learn a scale; their statistics, the ok ones.
  Eigen::MatrixXd pilot_statistics(Index count);
  int num_threads() const { return runner_.num_threads(); }
  /// What is left of a budget for all.
  Index budget_left() const;

  /// Trains on the pairs, unless this training is remembered; `round` keeps what happened. Targets
  /// are the parameters and contexts the statistics, or the other way round for a likelihood.
  void train(Trainable<float>& model, const SimulatedPairs& pairs, const TrainingOptions& options,
             RoundSummary& round, Direction direction = Direction::posterior);

  /// The density with all that is needed to use it.
  std::shared_ptr<const Estimator> make_estimator(
      std::shared_ptr<const ConditionalDensity<float>> conditional, const Proposal& proposal,
      Index num_examples, Direction direction = Direction::posterior) const;

  /// Tells the observer of training that a method does by itself.
  Action report_training(const char* phase, int round, long step, long num_steps, double loss);
  /// While it lives, the observer can end computations that report no progress.
  InterruptionScope interruptible() {
    return InterruptionScope([this] { return observer_.poll() == Action::stop; });
  }
  /// Takes a round into the summary and tells the observer.
  void finish_round(RoundSummary round);
  void warn(const std::string& message);
  /// The thetas of simulations that were not ok, one column each; and those of an earlier run.
  Eigen::MatrixXd dropped() const;
  void recall_dropped(const Eigen::MatrixXd& thetas);
  /// Where simulations failed; and what an earlier run knew of it.
  const FaultTally& faults() const { return faults_; }
  void recall_faults(FaultTally faults) { faults_ = std::move(faults); }
  /// Says in the summary where the simulations lie that were not ok.
  void summarise_dropped();

 private:
  SimulationResults run_simulations(const Eigen::MatrixXd& thetas, const Key& key,
                                    const RoundSummary& round, DrawnFrom drawn_from,
                                    std::span<const Index> offsets = {},
                                    const DistanceFilter& worth_recording = {});
  /// The default method's: says how many there are of all so far, and how many it would take.
  [[noreturn]] void stop_for_few(const SimulationResults& results, const Eigen::MatrixXd& thetas,
                                 const Key& key, long missing) const;
  void check_faults(SimulationResults& results, const Eigen::MatrixXd& thetas, const Key& key,
                    const RoundSummary& round);
  void train_anew(Trainable<float>& model, const Examples<float>& examples,
                  const TrainingOptions& options, const TrainingCheckpoint& checkpoint,
                  RoundSummary& round);
  void remember_dropped(const Eigen::MatrixXd& thetas, const std::vector<SimStatus>& statuses);
  int num_rounds() const;

  const Problem& problem_;
  const InferOptions& options_;
  const MethodEntry& method_;
  Runner& runner_;
  Observer silent_;
  Observer& observer_;
  Standardiser statistics_;
  Standardiser parameters_;
  Summary summary_;
  Memory memory_;
  std::vector<Eigen::VectorXd> dropped_;
  long num_wrong_size_ = 0;  // simulations with a wrong number of values
  FaultTally faults_;
};

/// A round that has not happened yet.
RoundSummary new_round(const std::string& phase, int number);

}  // namespace epsfree
