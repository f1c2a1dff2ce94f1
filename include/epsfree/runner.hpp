// Running many simulations.
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "epsfree/observer.hpp"
#include "epsfree/simulator.hpp"

namespace epsfree {

/// How one simulation ended. Its statistics stand beside it.
struct SimulationRecord {
  Index column = 0;  ///< of the request
  SimStatus status = SimStatus::lost;
  int attempts = 1;
  double seconds = 0;        ///< of the last attempt
  std::string message = {};  ///< what it said, if it is not ok and said something
  FaultKind kind = FaultKind::any;
};

/// What the parameters of a simulation were drawn from, and whether it was recorded regardless of
/// its result. These numbers never change, because ledgers hold them.
enum class DrawnFrom : unsigned char {
  unknown = 0,     ///< not stated: recorded by version 0.1, or requested in another way
  prior = 1,       ///< the prior, and all simulations of the request were recorded
  proposal = 2,    ///< anything else: a proposal, a chain, a population
  prior_near = 3,  ///< the prior, but only simulations near the observation were recorded
};
inline constexpr int kNumDrawnFrom = 4;
/// "unknown", "prior", "proposal", "prior-near"
const char* to_string(DrawnFrom drawn_from);

/// Hears of simulations as they end, in any order, on the thread that asked for them.
class SimulationSink {
 public:
  virtual ~SimulationSink() = default;
  /// Column i of `statistics` belongs to records[i]; NaN where it is not ok.
  virtual void on_end(std::span<const SimulationRecord> records,
                      const Eigen::Ref<const Eigen::MatrixXd>& statistics) = 0;
};

/// What to simulate: column i of `thetas` with the stream of `seed` and the key `first`, its index
/// raised by offsets[i].
struct SimulationRequest {
  const Simulator& simulator;
  Eigen::Ref<const Eigen::MatrixXd> thetas;
  std::uint64_t seed = 1;
  Key first = {};
  std::span<const Index> offsets = {};  ///< empty: i itself
  /// Called from the thread that asked, some twenty times a second.
  std::function<Action(long done, long bad)> progress = {};
  SimulationSink* sink = nullptr;
  /// Where given, only ok simulations for whose statistics it is true are recorded; the others are
  /// too many, and of no use later.
  std::function<bool(const Eigen::Ref<const Eigen::VectorXd>& statistics)> worth_recording = {};
  /// Whether nothing but faults at the start ends it: not where others of the same set went well.
  bool may_give_up = true;
  /// What a ledger is told about the thetas.
  DrawnFrom drawn_from = DrawnFrom::unknown;

  /// Throws ErrorKind::usage where its parts do not fit.
  void validate() const;
  Key key(Index column) const;
  /// `drawn_from`, and that only some are recorded.
  DrawnFrom recorded_as() const;
};

/// The outcomes of a request, in the order of its columns.
struct SimulationResults {
  Eigen::MatrixXd statistics;  ///< one column per simulation; NaN where not ok
  std::vector<SimStatus> statuses;
  std::array<long, kNumSimStatuses> counts{};  ///< by status
  /// What the first `failed`, `timeout` or `lost` one said, and its column; -1: there is none.
  std::string first_failure;
  Index first_failure_column = -1;
  double seconds = 0;
  bool interrupted = false;  ///< progress asked to stop; the rest is `lost`
  /// All simulations failed at the start, or several gave a wrong number of values; the rest is
  /// `lost`.
  bool gave_up = false;
  /// Simulations that failed because of their number of values; 0 if that does not stop a run.
  long num_wrong_size = 0;

  long num_ok() const { return counts[0]; }
  /// The indices of the ok ones, in order.
  std::vector<Index> ok_indices() const;
};

/// Runs simulations somewhere: in threads, or on a cluster. A method that uses it knows nothing of
/// that.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual SimulationResults run(const SimulationRequest& request) = 0;
  /// How many simulations it makes at a time.
  virtual int num_threads() const = 0;
};

/// A run stops after this many simulations with a wrong number of values, at any point of the run:
/// they show a mistake in the simulator or the problem. It does not stop if
/// RunnerOptions::give_up_after is 0.
inline constexpr long kMostWrongSizes = 5;

struct RunnerOptions {
  int num_threads = 0;  ///< 0: as many as the machine has
  /// How often a simulation that is `failed`, `timeout` or `lost` is tried again, with the same
  /// random numbers, where the simulator says that this may help.
  int retries = 1;
  /// Simulations a thread takes at a time; 0: as many as suit the simulator.
  Index chunk = 0;
  /// Stop the run after this many simulations if all of them failed; 0: never.
  long give_up_after = 20;
  void validate() const;
};

/// Runs simulations in threads of this process. Results are the same for any number of threads.
/// Requests so small that starting threads would take longer are run on the one that asks.
class ThreadRunner final : public Runner {
 public:
  explicit ThreadRunner(int num_threads = 0) : ThreadRunner(RunnerOptions{num_threads}) {}
  explicit ThreadRunner(const RunnerOptions& options);
  int num_threads() const override { return options_.num_threads; }
  SimulationResults run(const SimulationRequest& request) override;

 private:
  RunnerOptions options_;
  const Simulator* timed_ = nullptr;  // whose simulations took seconds_each_ the last time
  double seconds_each_ = 0;
};

}  // namespace epsfree
