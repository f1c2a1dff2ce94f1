// What simulations that were tried say about a simulator. Nothing is run here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/runner.hpp"
#include "epsfree/summary.hpp"
#include "problem/problem_file.hpp"

namespace epsfree {

enum class SimulatorVerdict { ok, warning, failure };
const char* to_string(SimulatorVerdict verdict);

/// One thing that was looked at.
struct Finding {
  std::string name;  ///< "outcomes", "same seed", "other seeds", ...
  SimulatorVerdict verdict = SimulatorVerdict::ok;
  std::string text;         ///< what was seen
  std::string advice = {};  ///< what to change, if anything
};

struct SimulatorCheck {
  std::string simulator;  ///< its label
  Index num_parameters = 0;
  Index num_statistics = 0;
  std::vector<Finding> findings;
  SimulationCounts simulations;  ///< of those from the prior
  double median_seconds = 0;
  double slowest_seconds = 0;
  Index budget = 0;           ///< simulations that the problem's method may make
  int num_threads = 1;        ///< that can simulate at the same time
  double budget_seconds = 0;  ///< about how long that takes

  SimulatorVerdict verdict() const;  ///< the worst
};

/// What ended, in the order of the columns.
struct TriedSimulations final : SimulationSink {
  std::vector<SimulationRecord> records;
  std::vector<Eigen::VectorXd> statistics;

  void on_end(std::span<const SimulationRecord> ended,
              const Eigen::Ref<const Eigen::MatrixXd>& x) override;
  std::size_t size() const { return records.size(); }
  std::optional<std::size_t> first_ok() const;
  std::size_t num_ok() const;
};

/// "1 simulation", "2 simulations".
std::string counted(long count, const std::string& noun);

/// Fills in how they ended and how long they took.
void count_outcomes(const TriedSimulations& tried, SimulatorCheck& check);

/// `command_for` shows how to repeat a column's simulation.
Finding judge_outcomes(const TriedSimulations& tried,
                       const std::function<std::string(Index)>& command_for);

/// Whether they vary; nothing with fewer than two simulations.
std::optional<Finding> judge_statistics(const TriedSimulations& tried, const ProblemSpec& spec);

/// Whether it lies near the simulations: units or an order that differ between simulator and data
/// show here. Nothing without an observation or with few simulations.
std::optional<Finding> judge_observation(const TriedSimulations& tried, const ProblemSpec& spec);

/// Fills in how long the problem's budget takes.
void estimate_budget(const TriedSimulations& tried, const ProblemSpec& spec, SimulatorCheck& check);

/// What a call and the budget take, and whether there is a limit.
std::vector<Finding> judge_time(const SimulatorCheck& check, const ProblemSpec& spec,
                                bool may_run_side_by_side);

}  // namespace epsfree
