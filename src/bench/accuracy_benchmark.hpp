// How good a method's posteriors are: whole inferences over many seeds or observations, scored.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/calibration/uniformity.hpp"
#include "epsfree/infer.hpp"
#include "epsfree/observer.hpp"
#include "problem/problem_file.hpp"

namespace epsfree {

struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t last = 1;  ///< included
  std::size_t size() const { return static_cast<std::size_t>(last - first + 1); }
};

enum class AccuracyMode {
  seeds,        ///< the authors' observation, inferred with each seed
  observations  ///< each seed draws its own observation from the prior predictive
};

/// What to benchmark.
struct AccuracySettings {
  std::string model;                       ///< built in
  std::optional<std::string> method = {};  ///< none: the default
  AccuracyMode mode = AccuracyMode::seeds;
  SeedRange seeds = {};
  std::optional<Index> budget = {};  ///< simulator calls; none: the paper's
  std::string reference = {};        ///< CSV of samples of the true posterior; may be empty
  std::vector<std::string> assignments = {};  ///< "method.training.num_steps=500"
};

enum class Score {
  none,
  kl_divergence,  ///< KL(exact posterior || learnt one)
  cross_entropy   ///< mean of -log q over the reference samples
};
/// "none", "kl", "cross-entropy".
std::string to_string(Score score);

/// A benchmark that has been checked and only has to be run.
struct AccuracyPlan {
  ProblemSpec spec;
  AccuracyMode mode = AccuracyMode::seeds;
  SeedRange seeds = {};
  Index budget = 0;
  Score score = Score::none;
  std::optional<double> failed_above = {};  ///< scores above count as failed
  std::string reference = {};               ///< where the samples came from
  /// Samples of the true posterior; of the exact one with its log density. Empty where each
  /// observation has its own.
  Eigen::MatrixXd samples = {};
  std::optional<Eigen::VectorXd> log_densities = {};
};

/// Reads and checks everything. Throws ErrorKind::usage where a reference is needed and missing.
AccuracyPlan plan_accuracy(const AccuracySettings& settings);

/// One whole inference.
struct SeedRecord {
  std::uint64_t seed = 0;
  double score = 0;        ///< NaN where there is none
  double score_error = 0;  ///< its Monte Carlo standard error
  bool failed = false;     ///< an error, or a score above the plan's limit
  std::string error = {};
  long num_simulations = 0;
  double seconds = 0;      ///< of the clock, for the inference alone
  double cpu_seconds = 0;  ///< of the one thread that made it
  std::string correction = {};
  std::vector<std::string> warnings = {};
  Eigen::VectorXi ranks = {};  ///< of the true parameters, where observations are drawn
};

/// What stands in the table.
struct AccuracySummary {
  std::size_t num_seeds = 0;
  std::size_t num_scored = 0;
  std::size_t num_failed = 0;
  std::size_t num_errors = 0;
  std::string first_error = {};
  /// Of the scores there are; NaN where there is none.
  double mean = 0, standard_error = 0, median = 0, best = 0, worst = 0;
  double mean_simulations = 0;
  long max_simulations = 0;
  double mean_seconds = 0, max_seconds = 0;          ///< of the clock
  double mean_cpu_seconds = 0, max_cpu_seconds = 0;  ///< of one core
  std::map<std::string, long> corrections = {};
  std::optional<RankTest> ranks = {};  ///< where observations are drawn
};

struct AccuracyReport {
  AccuracyPlan plan;
  std::vector<SeedRecord> records;  ///< by seed
  AccuracySummary summary;
};

/// How many posterior samples a true parameter is ranked among.
inline constexpr Index kRankSamples = 1000;
/// Ranks fail their test below this overall p-value.
inline constexpr double kRankLevel = 0.01;

/// Watches a benchmark. `on_seed` is called for one seed at a time, in the order in which they end;
/// `stop` from any thread.
class AccuracyListener {
 public:
  virtual ~AccuracyListener() = default;
  virtual void on_seed(std::size_t /*index*/, const SeedRecord&) {}
  virtual bool stop() { return false; }
};

/// Runs one inference a seed, each on one thread, `num_threads` (0: all) side by side. What an
/// inference throws becomes part of its record. Throws ErrorKind::interrupted when the listener
/// said stop.
AccuracyReport run_accuracy(const AccuracyPlan& plan, int num_threads,
                            AccuracyListener* listener = nullptr);

AccuracySummary summarise(const AccuracyPlan& plan, const std::vector<SeedRecord>& records);

/// All reports as versioned JSON (docs/formats.md).
std::string accuracy_json(const std::vector<AccuracyReport>& reports);

}  // namespace epsfree
