#include "infer/inference_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/number_text.hpp"
#include "base/order_statistics.hpp"
#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "infer/coordinates.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "infer/method_entry.hpp"

namespace epsfree {
namespace {

// Fewer usable pilot simulations than this say nothing about a scale; a run that yields them is
// stopped with a message instead of going on to a confident and wrong answer.
constexpr long kMinUsable = 10;
constexpr std::size_t kMostDropped = 100000;

std::string describe_counts(const std::array<long, kNumSimStatuses>& counts) {
  Listing list;
  for (int status = 1; status < kNumSimStatuses; ++status) {
    const long count = counts[static_cast<std::size_t>(status)];
    if (count == 0) continue;
    list.add(std::to_string(count) + " " + to_string(static_cast<SimStatus>(status)));
  }
  return list.text();
}

long num_faults(const SimulationResults& results) {
  long count = 0;
  for (int status = 0; status < kNumSimStatuses; ++status) {
    if (is_fault(static_cast<SimStatus>(status))) {
      count += results.counts[static_cast<std::size_t>(status)];
    }
  }
  return count;
}

std::uint64_t seed_of_first_fault(const SimulationResults& results, std::uint64_t seed, Key key) {
  key.index += static_cast<std::uint64_t>(results.first_failure_column);
  return Stream(seed, key).bits64();
}

// What the first fault said, and what is needed to see it again.
std::string describe_failure(const SimulationResults& results, const Eigen::MatrixXd& thetas,
                             std::uint64_t seed, const Key& key) {
  const Index column = results.first_failure_column;
  if (column < 0) return "";
  const std::string text = " The first fault, with theta (" +
                           joined(thetas.col(column), ", ", number_text) + ") and seed " +
                           std::to_string(seed_of_first_fault(results, seed, key));
  if (results.first_failure.empty()) return text + ", said nothing.";
  return text + ", says: " + results.first_failure + ".";
}

[[noreturn]] void stop(const std::string& message, const SimulationResults& results,
                       const Eigen::MatrixXd& thetas, std::uint64_t seed, const Key& key) {
  const Index column = results.first_failure_column;
  if (column < 0) throw Error(ErrorKind::stopped, message);
  throw StoppedByFaults(message, thetas.col(column), seed_of_first_fault(results, seed, key),
                        num_faults(results) > results.counts[1]);
}

// The columns at ascending indices, in the memory that they are in: a copy of ten million
// simulations is a gigabyte.
Eigen::MatrixXd keep_columns(Eigen::MatrixXd points, const std::vector<Index>& indices) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto to = static_cast<Index>(i);
    if (indices[i] != to) points.col(to) = points.col(indices[i]);
  }
  points.conservativeResize(Eigen::NoChange, static_cast<Index>(indices.size()));
  return points;
}

bool standardises_parameters(const MethodOptions& options) {
  const auto settings = mdn_settings(options);
  return settings && settings->standardise_parameters;
}

}  // namespace

RoundSummary new_round(const std::string& phase, int number) {
  RoundSummary round;
  round.phase = phase;
  round.round = number;
  round.proposal_change = std::numeric_limits<double>::quiet_NaN();
  return round;
}

InferenceRun::InferenceRun(const Problem& problem, const InferOptions& options,
                           const MethodEntry& method, Runner& runner, Observer* observer,
                           Journal* journal)
    : problem_(problem),
      options_(options),
      method_(method),
      runner_(runner),
      observer_(observer != nullptr ? *observer : silent_),
      // Only these methods need it; others may have thousands of statistics.
      statistics_(
          Standardiser::identity(mdn_settings(options.method) ? problem.observed.size() : 0)),
      parameters_(standardises_parameters(options.method)
                      ? Standardiser::diagonal(problem.prior->coordinate_mean(),
                                               problem.prior->coordinate_std())
                      : Standardiser::identity(problem.prior->dim())),
      memory_(journal) {
  summary_.method = method.name;
  summary_.seed = options.seed;
}

int InferenceRun::num_rounds() const {
  return method_.num_rounds != nullptr ? method_.num_rounds(options_) : 0;
}

Index InferenceRun::budget_left() const {
  return options_.num_simulations - static_cast<Index>(summary_.simulations.total());
}

SimulationResults InferenceRun::run_simulations(const Eigen::MatrixXd& thetas, const Key& key,
                                                const RoundSummary& round, DrawnFrom drawn_from,
                                                std::span<const Index> offsets,
                                                const DistanceFilter& worth_recording) {
  SimulationProgress progress{.phase = round.phase.c_str(),
                              .round = round.round,
                              .num_rounds = num_rounds(),
                              .total = options_.num_simulations};
  // What is shown is how much of the budget is spent.
  const long before = summary_.simulations.total();
  SimulationResults results = runner_.run({.simulator = *problem_.simulator,
                                           .thetas = thetas,
                                           .seed = options_.seed,
                                           .first = key,
                                           .offsets = offsets,
                                           .progress =
                                               [&](long done, long bad) {
                                                 progress.done = before + done;
                                                 progress.num_bad = bad;
                                                 return observer_.on_simulation(progress);
                                               },
                                           .worth_recording = worth_recording,
                                           .drawn_from = drawn_from});
  if (results.interrupted) {
    throw Error(ErrorKind::interrupted, "interrupted while simulating (" + round.phase + " " +
                                            std::to_string(round.round) + ")");
  }
  check_faults(results, thetas, key, round);
  summary_.simulations.add(results.counts);
  summary_.simulation_seconds += results.seconds;
  remember_dropped(thetas, results.statuses);
  faults_.add(round, thetas, results.statuses);
  return results;
}

void InferenceRun::check_faults(SimulationResults& results, const Eigen::MatrixXd& thetas,
                                const Key& key, const RoundSummary& round) {
  num_wrong_size_ += results.num_wrong_size;
  const bool wrong = results.num_wrong_size > 0 && num_wrong_size_ >= kMostWrongSizes;
  if (!results.gave_up && !wrong) return;
  const std::string where = round.phase + " " + std::to_string(round.round);
  // Simulations that never started do not count as lost.
  if (results.gave_up) results.counts[static_cast<std::size_t>(SimStatus::lost)] = 0;
  const std::string what = wrong ? "stopped in the " + where + ": " +
                                       std::to_string(num_wrong_size_) +
                                       " simulations gave a wrong number of values."
                                 : "stopped early: all simulations in the " + where + " failed (" +
                                       describe_counts(results.counts) + ").";
  stop(what + describe_failure(results, thetas, options_.seed, key), results, thetas, options_.seed,
       key);
}

void InferenceRun::remember_dropped(const Eigen::MatrixXd& thetas,
                                    const std::vector<SimStatus>& statuses) {
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    // Enough to say where they lie; there may be more than memory holds.
    if (dropped_.size() == kMostDropped) return;
    if (statuses[i] != SimStatus::ok) dropped_.emplace_back(thetas.col(static_cast<Index>(i)));
  }
}

Eigen::MatrixXd InferenceRun::dropped() const {
  Eigen::MatrixXd thetas(prior().dim(), static_cast<Index>(dropped_.size()));
  for (std::size_t i = 0; i < dropped_.size(); ++i) thetas.col(static_cast<Index>(i)) = dropped_[i];
  return thetas;
}

void InferenceRun::recall_dropped(const Eigen::MatrixXd& thetas) {
  for (Index i = 0; i < thetas.cols(); ++i) dropped_.emplace_back(thetas.col(i));
}

void InferenceRun::summarise_dropped() {
  summary_.faults = faults_.summary();
  if (dropped_.empty()) return;
  const Index dim = prior().dim();
  summary_.dropped_low.resize(dim);
  summary_.dropped_high.resize(dim);
  for (Index d = 0; d < dim; ++d) {
    std::vector<double> values;
    values.reserve(dropped_.size());
    for (const Eigen::VectorXd& theta : dropped_) values.push_back(theta[d]);
    summary_.dropped_low[d] = nearest_quantile(values, 0.05);
    summary_.dropped_high[d] = nearest_quantile(values, 0.95);
  }
}

void InferenceRun::require_usable(const SimulationResults& results, const Eigen::MatrixXd& thetas,
                                  const Key& key, long fewest, const std::string& where,
                                  const std::string& budget) const {
  if (results.num_ok() >= fewest) return;
  std::string message = "only " + std::to_string(results.num_ok()) + " of " +
                        std::to_string(results.statuses.size()) + " simulations in the " + where +
                        " were usable (" + describe_counts(results.counts) + "); at least " +
                        std::to_string(fewest) + " are needed.";
  message += describe_failure(results, thetas, options_.seed, key);
  message += " Check the simulator, narrow the prior, or raise " + budget + ".";
  stop(message, results, thetas, options_.seed, key);
}

void InferenceRun::stop_for_few(const SimulationResults& results, const Eigen::MatrixXd& thetas,
                                const Key& key, long missing) const {
  const SimulationCounts& all = summary_.simulations;
  const long usable = all[SimStatus::ok], needed = usable + missing - results.num_ok();
  const long budget = static_cast<long>(options_.num_simulations);
  std::string message =
      "only " + std::to_string(usable) + " of " + std::to_string(all.total()) +
      " simulations were usable (" + describe_counts(all.by_status) + "); a fit needs " +
      std::to_string(needed) + ". At most half of the budget of " + std::to_string(budget) +
      " is spent on finding them, and the rest was not spent." +
      describe_failure(results, thetas, options_.seed, key) +
      " Check the simulator, narrow the prior to where it works, or raise method.num_simulations";
  if (usable > 0) {
    // Only half of the budget may search for them: twice the average number, plus half of that.
    const long enough = 3 * needed * all.total() / usable;
    message += ": about " + std::to_string(std::max(enough, budget + budget / 2)) +
               " should be enough if the share of usable simulations stays the same";
  }
  stop(message + ".", results, thetas, options_.seed, key);
}

void InferenceRun::scale_statistics(const Eigen::MatrixXd& statistics) {
  statistics_ = Standardiser::fit(statistics, mdn_settings(options_.method)->pilot.scaling);
}

void InferenceRun::scale_statistics() {
  const PilotOptions pilot = mdn_settings(options_.method)->pilot;
  if (pilot.scaling == Scaling::as_is) return;
  statistics_ = Standardiser::fit(pilot_statistics(pilot.num_simulations), pilot.scaling);
}

Eigen::MatrixXd InferenceRun::pilot_statistics(Index count) {
  Stream stream(options_.seed, {.purpose = Purpose::pilot_parameters});
  RoundSummary round = new_round("pilot", 0);
  const Eigen::MatrixXd thetas = prior().sample(count, stream);
  const Key key{.purpose = Purpose::pilot_simulation};
  const SimulationResults results = run_simulations(thetas, key, round, DrawnFrom::prior);
  summary_.num_pilot_simulations = count;
  require_usable(results, thetas, key, kMinUsable, "pilot run", "method.pilot.num_simulations");
  return results.statistics(Eigen::all, results.ok_indices());
}

SimulationResults InferenceRun::simulate(const Eigen::MatrixXd& thetas, const Key& first,
                                         RoundSummary& round, DrawnFrom drawn_from,
                                         std::span<const Index> offsets,
                                         const DistanceFilter& worth_recording) {
  SimulationResults results =
      run_simulations(thetas, first, round, drawn_from, offsets, worth_recording);
  round.simulations.add(results.counts);
  round.simulation_seconds += results.seconds;
  return results;
}

SimulatedPairs InferenceRun::simulate(const Proposal& proposal, Index count, RoundSummary& round,
                                      long fewest_usable) {
  const auto number = static_cast<std::uint32_t>(round.round);
  Stream stream(options_.seed, {.purpose = Purpose::parameters, .round = number});
  Eigen::MatrixXd z = draw_coordinates(prior(), proposal, count, stream, round);
  const Eigen::MatrixXd thetas = thetas_of(prior(), z);
  const Key key{.purpose = Purpose::simulation, .round = number};
  SimulationResults results = run_simulations(
      thetas, key, round, proposal.is_prior() ? DrawnFrom::prior : DrawnFrom::proposal);
  round.simulations.add(results.counts);
  round.simulation_seconds = results.seconds;
  if (std::holds_alternative<AutoOptions>(options_.method) && results.num_ok() < fewest_usable) {
    stop_for_few(results, thetas, key, fewest_usable);
  }
  const bool is_round = mdn_settings(options_.method) && round.phase == "round";
  require_usable(results, thetas, key, fewest_usable,
                 round.phase + " " + std::to_string(round.round),
                 is_round ? "method.rounds.num_simulations" : "method.num_simulations");
  const std::vector<Index> ok = results.ok_indices();
  return {keep_columns(std::move(z), ok), keep_columns(std::move(results.statistics), ok)};
}

Action InferenceRun::report_training(const char* phase, int round, long step, long num_steps,
                                     double loss) {
  return observer_.on_training({.phase = phase,
                                .round = round,
                                .num_rounds = num_rounds(),
                                .step = step,
                                .num_steps = num_steps,
                                .loss = loss});
}

void InferenceRun::finish_round(RoundSummary round) {
  summary_.rounds.push_back(std::move(round));
  if (observer_.on_round(summary_.rounds.back()) == Action::stop) {
    throw Error(ErrorKind::interrupted, "interrupted after " + summary_.rounds.back().phase + " " +
                                            std::to_string(summary_.rounds.back().round));
  }
}

void InferenceRun::warn(const std::string& message) {
  summary_.warnings.push_back(message);
  observer_.log(LogLevel::warning, message);
}

}  // namespace epsfree
