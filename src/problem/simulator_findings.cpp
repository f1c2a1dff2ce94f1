#include "problem/simulator_findings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/order_statistics.hpp"
#include "base/words.hpp"
#include "io/number_text.hpp"

namespace epsfree {
namespace {

// Below this a process that starts anew for each simulation is mostly starting.
constexpr double kShortCommand = 0.05;
constexpr double kLongRun = 3600;
constexpr std::size_t kEnoughForRanges = 10;

/// The first fault, or else the first that is invalid; null: all are ok.
const SimulationRecord* worst_of(const TriedSimulations& tried) {
  const SimulationRecord* worst = nullptr;
  for (const SimulationRecord& record : tried.records) {
    if (record.status == SimStatus::ok) continue;
    if (worst == nullptr || (is_fault(record.status) && !is_fault(worst->status))) worst = &record;
  }
  return worst;
}

/// Of one statistic, in the simulations that are ok.
std::pair<double, double> range_of(const TriedSimulations& tried, Index statistic) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried.records[i].status != SimStatus::ok) continue;
    low = std::min(low, tried.statistics[i][statistic]);
    high = std::max(high, tried.statistics[i][statistic]);
  }
  return {low, high};
}

std::string quoted_name(const ProblemSpec& spec, Index statistic) {
  return "'" + spec.statistic_names[static_cast<std::size_t>(statistic)] + "'";
}

}  // namespace

const char* to_string(SimulatorVerdict verdict) {
  return verdict == SimulatorVerdict::ok        ? "ok"
         : verdict == SimulatorVerdict::warning ? "warning"
                                                : "failure";
}

SimulatorVerdict SimulatorCheck::verdict() const {
  SimulatorVerdict worst = SimulatorVerdict::ok;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

void TriedSimulations::on_end(std::span<const SimulationRecord> ended,
                              const Eigen::Ref<const Eigen::MatrixXd>& x) {
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const auto at = std::find_if(records.begin(), records.end(), [&](const auto& record) {
      return record.column > ended[i].column;
    });
    statistics.insert(statistics.begin() + (at - records.begin()), x.col(static_cast<Index>(i)));
    records.insert(at, ended[i]);
  }
}

std::optional<std::size_t> TriedSimulations::first_ok() const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (records[i].status == SimStatus::ok) return i;
  }
  return std::nullopt;
}

std::size_t TriedSimulations::num_ok() const {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(),
                    [](const SimulationRecord& record) { return record.status == SimStatus::ok; }));
}

std::string counted(long count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void count_outcomes(const TriedSimulations& tried, SimulatorCheck& check) {
  std::vector<double> seconds;
  for (const SimulationRecord& record : tried.records) {
    ++check.simulations.by_status[static_cast<std::size_t>(record.status)];
    seconds.push_back(record.seconds);
  }
  if (seconds.empty()) return;
  check.median_seconds = median(seconds);
  check.slowest_seconds = *std::max_element(seconds.begin(), seconds.end());
}

Finding judge_outcomes(const TriedSimulations& tried,
                       const std::function<std::string(Index)>& command_for) {
  const std::size_t total = tried.size(), num_ok = tried.num_ok();
  Finding finding{.name = "outcomes",
                  .text = std::to_string(num_ok) + " of " + std::to_string(total) +
                          " simulations with parameters from the prior ended ok"};
  const SimulationRecord* worst = worst_of(tried);
  if (worst == nullptr) return finding;
  for (int s = 1; s < kNumSimStatuses; ++s) {
    const auto status = static_cast<SimStatus>(s);
    const auto count =
        std::count_if(tried.records.begin(), tried.records.end(),
                      [&](const SimulationRecord& record) { return record.status == status; });
    if (count > 0) finding.text += ", " + std::to_string(count) + " " + to_string(status);
  }
  finding.text += ". The first that is " + std::string(to_string(worst->status)) +
                  (worst->message.empty() ? " said nothing" : " says: " + worst->message);
  const bool is_faulty = is_fault(worst->status);
  finding.verdict = num_ok == 0                       ? SimulatorVerdict::failure
                    : is_faulty || 2 * num_ok < total ? SimulatorVerdict::warning
                                                      : SimulatorVerdict::ok;
  const char* const advice =
      num_ok == 0 ? "see one alone:"
      : is_faulty ? "faults are tried again and then dropped, which is a bias; see one alone:"
                  : "that is part of the model, unless it should not be; see one alone:";
  finding.advice = std::string(advice) + "\n" + command_for(worst->column);
  return finding;
}

std::optional<Finding> judge_statistics(const TriedSimulations& tried, const ProblemSpec& spec) {
  if (tried.num_ok() < 2) return std::nullopt;
  Listing constant;
  long num_constant = 0;
  for (Index d = 0; d < std::ssize(spec.statistic_names); ++d) {
    const auto [low, high] = range_of(tried, d);
    if (low != high) continue;
    ++num_constant;
    constant.add(quoted_name(spec, d) + " (" + number_text(tried.statistics[*tried.first_ok()][d]) +
                 ")");
  }
  if (num_constant == 0) {
    return Finding{"statistics", SimulatorVerdict::ok,
                   "are finite and vary with the parameters or the seed"};
  }
  return Finding{"statistics", SimulatorVerdict::warning,
                 std::string(num_constant == 1 ? "one is" : "some are") +
                     " the same in all simulations: " + constant.text(),
                 "a constant says nothing about the parameters: leave it out"};
}

std::optional<Finding> judge_observation(const TriedSimulations& tried, const ProblemSpec& spec) {
  if (!spec.observed_fault.empty()) {
    return Finding{"observation", SimulatorVerdict::warning,
                   "cannot be read: " + spec.observed_fault,
                   "a run needs an observation; `epsfree simulate` can make one to try"};
  }
  const Eigen::VectorXd& observed = spec.problem.observed;
  if (observed.size() == 0 || tried.num_ok() < kEnoughForRanges) return std::nullopt;
  Listing far;
  for (Index d = 0; d < observed.size(); ++d) {
    const auto [low, high] = range_of(tried, d);
    const double margin = 3 * (high - low);
    if (observed[d] >= low - margin && observed[d] <= high + margin) continue;
    far.add(quoted_name(spec, d) + " is " + number_text(observed[d]) + " and was simulated from " +
            number_text(low) + " to " + number_text(high));
  }
  if (far.empty()) {
    return Finding{"observation", SimulatorVerdict::ok,
                   "lies where simulations with the prior lie"};
  }
  return Finding{"observation", SimulatorVerdict::warning,
                 "lies far from all simulations: " + far.text(),
                 "look whether simulator and data have the same units and the statistics the same "
                 "order, and whether the prior is wide enough"};
}

void estimate_budget(const TriedSimulations& tried, const ProblemSpec& spec,
                     SimulatorCheck& check) {
  // The first includes what is done once.
  double sum = 0;
  const std::size_t skipped = tried.size() > 1 ? 1 : 0;
  for (std::size_t i = skipped; i < tried.size(); ++i) sum += tried.records[i].seconds;
  const double mean = sum / static_cast<double>(std::max<std::size_t>(1, tried.size() - skipped));
  check.budget = spec.options.num_simulations;
  check.budget_seconds = mean * static_cast<double>(check.budget) / check.num_threads;
}

std::vector<Finding> judge_time(const SimulatorCheck& check, const ProblemSpec& spec,
                                bool may_run_side_by_side) {
  Finding call{.name = "time",
               .text = "a call takes " + duration_text(check.median_seconds) + " (median), " +
                       duration_text(check.slowest_seconds) + " at most"};
  if (spec.simulator.kind == SimulatorKind::command && check.median_seconds < kShortCommand &&
      check.budget_seconds > 60) {
    call.advice = "most of that is starting the program: as a 'worker' it starts once per thread";
  }
  Listing advice("; ");
  if (check.budget_seconds > kLongRun) {
    advice.add(
        "more threads, fewer simulations (method.num_simulations) or a cluster make it shorter");
  }
  if (!may_run_side_by_side) {
    advice.add("the library says nothing of several threads, and so is called from one at a time");
  }
  std::vector<Finding> findings = {std::move(call)};
  findings.push_back({.name = "budget",
                      .text = counted(check.budget, "simulation") + " will take about " +
                              duration_text(check.budget_seconds) + " on " +
                              counted(check.num_threads, "thread"),
                      .advice = advice.text()});
  const ProcessOptions* process = spec.simulator.process();
  if (process != nullptr && process->time_limit_seconds == 0 && process->time_limit_factor == 0) {
    findings.push_back(
        {.name = "time limit",
         .text = "there is none: a simulation that hangs would hang the run",
         .advice = "in [simulator], for example: time_limit_seconds = " +
                   number_text(std::max(10.0, std::ceil(20 * check.slowest_seconds)))});
  }
  return findings;
}

}  // namespace epsfree
