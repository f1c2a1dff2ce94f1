#include "infer/inference_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/archive.hpp"
#include "base/fingerprint.hpp"
#include "base/number_text.hpp"
#include "base/order_statistics.hpp"
#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "infer/coordinates.hpp"
#include "nn/training_state.hpp"

namespace epsfree {
namespace {

// Fewer usable pilot simulations than this say nothing about a scale; a run that yields them is
// stopped with a message instead of going on to a confident and wrong answer.
constexpr long kMinUsable = 10;
// In standard deviations; the network's square of it is still far from a float's range.
constexpr double kLargestContext = 1e12;
constexpr std::size_t kMostDropped = 100000;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

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

// standardiser.apply(points) in single precision, within +-limit, some columns at a time: in double
// precision the whole would take twice the memory of what is made of it.
Eigen::MatrixXf apply_in_float(const Standardiser& standardiser, const Eigen::MatrixXd& points,
                               double limit) {
  constexpr Index kColumns = 4096;
  Eigen::MatrixXf result(points.rows(), points.cols());
  for (Index begin = 0; begin < points.cols(); begin += kColumns) {
    const Index count = std::min(kColumns, points.cols() - begin);
    result.middleCols(begin, count) = standardiser.apply(points.middleCols(begin, count))
                                          .cwiseMax(-limit)
                                          .cwiseMin(limit)
                                          .cast<float>();
  }
  return result;
}

// Of all that a training starts from.
std::uint64_t fingerprint(const Network& network, const Examples<float>& examples,
                          const TrainingOptions& options, std::uint64_t seed) {
  Fingerprint result;
  result.add(seed);
  result.add(std::span<const float>(network.parameters()));
  result.add(examples.targets);
  result.add(examples.contexts);
  if (examples.weights.size() > 0) result.add(examples.weights);
  result.add(options.num_steps);
  result.add(options.batch_size);
  result.add(options.learning_rate);
  result.add(options.schedule);
  result.add(options.gradient_clip);
  result.add(options.validation_fraction);
  result.add(options.patience);
  result.add(options.convergence_tolerance);
  return result.value();
}

}  // namespace

RoundSummary new_round(const std::string& phase, int number) {
  RoundSummary round;
  round.phase = phase;
  round.round = number;
  round.proposal_change = std::numeric_limits<double>::quiet_NaN();
  return round;
}

InferenceRun::InferenceRun(const Problem& problem, const InferOptions& options, Runner& runner,
                           Observer* observer, Journal* journal)
    : problem_(problem),
      options_(options),
      runner_(runner),
      observer_(observer != nullptr ? *observer : silent_),
      // The default method scales for itself, and may have thousands of statistics.
      statistics_(Standardiser::identity(
          options.method == Method::automatic ? 0 : problem.observed.size())),
      parameters_(options.standardise_parameters
                      ? Standardiser::diagonal(problem.prior->coordinate_mean(),
                                               problem.prior->coordinate_std())
                      : Standardiser::identity(problem.prior->dim())),
      memory_(journal) {
  summary_.method = to_string(options.method);
  summary_.seed = options.seed;
}

int InferenceRun::num_rounds() const {
  switch (options_.method) {
    case Method::automatic:
    case Method::synthetic_likelihood:
    case Method::smc_abc:
      return 0;  // not known beforehand
    case Method::rejection_abc:
      return 1;
    case Method::mcmc_abc:
      return 2;
    case Method::mdn_with_prior:
      return 1;
    case Method::proposal_prior:
      return options_.rounds.max_rounds;
    case Method::mdn_with_proposal:
      break;
  }
  return options_.rounds.max_rounds + 1;
}

bool has_one_budget(Method method) {
  return method == Method::automatic || method == Method::rejection_abc ||
         method == Method::mcmc_abc || method == Method::smc_abc ||
         method == Method::synthetic_likelihood;
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
                              .total = thetas.cols()};
  // With one budget for all rounds, what is shown is how much of it is spent.
  const bool one_budget = has_one_budget(options_.method);
  const long before = one_budget ? summary_.simulations.total() : 0;
  if (one_budget) progress.total = options_.num_simulations;
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
  statistics_ = Standardiser::fit(statistics, options_.pilot.scaling);
}

void InferenceRun::scale_statistics() {
  if (options_.pilot.scaling == Scaling::as_is) return;
  statistics_ = Standardiser::fit(pilot_statistics(), options_.pilot.scaling);
}

Eigen::MatrixXd InferenceRun::pilot_statistics() {
  const PilotOptions& pilot = options_.pilot;
  Stream stream(options_.seed, {.purpose = Purpose::pilot_parameters});
  RoundSummary round = new_round("pilot", 0);
  const Eigen::MatrixXd thetas = prior().sample(pilot.num_simulations, stream);
  const Key key{.purpose = Purpose::pilot_simulation};
  const SimulationResults results = run_simulations(thetas, key, round, DrawnFrom::prior);
  summary_.num_pilot_simulations = pilot.num_simulations;
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
  if (options_.method == Method::automatic && results.num_ok() < fewest_usable) {
    stop_for_few(results, thetas, key, fewest_usable);
  }
  const bool is_round = !has_one_budget(options_.method) && round.phase == "round";
  require_usable(results, thetas, key, fewest_usable,
                 round.phase + " " + std::to_string(round.round),
                 is_round ? "method.rounds.num_simulations" : "method.num_simulations");
  const std::vector<Index> ok = results.ok_indices();
  return {keep_columns(std::move(z), ok), keep_columns(std::move(results.statistics), ok)};
}

std::unique_ptr<Network> InferenceRun::make_network(NetworkOptions options) const {
  Stream init(options_.seed, {.purpose = Purpose::network_init});
  return std::make_unique<Network>(problem_.observed.size(), prior().dim(), options, init);
}

void InferenceRun::train_anew(Network& network, const Examples<float>& examples,
                              const TrainingOptions& options, const TrainingCheckpoint& checkpoint,
                              RoundSummary& round) {
  const auto number = static_cast<std::uint32_t>(round.round);
  TrainingProgress progress{.phase = round.phase.c_str(),
                            .round = round.round,
                            .num_rounds = num_rounds(),
                            .num_steps = options.num_steps};
  round.training = epsfree::train(
      network, examples, options,
      Stream(options_.seed, {.purpose = Purpose::training_order, .round = number}),
      Stream(options_.seed, {.purpose = Purpose::training_noise, .round = number}),
      [&](long step, double loss) {
        progress.step = step;
        progress.loss = loss;
        return observer_.on_training(progress);
      },
      checkpoint);
  if (round.training.stopped_because == "interrupted") {
    throw Error(ErrorKind::interrupted, "interrupted while training (" + round.phase + " " +
                                            std::to_string(round.round) + ")");
  }
}

void InferenceRun::train(Network& network, const SimulatedPairs& pairs,
                         const TrainingOptions& options, RoundSummary& round) {
  Examples<float> examples;
  examples.targets = apply_in_float(parameters_, pairs.coordinates, kNoLimit);
  // A statistic may be finite in double precision and not in single.
  examples.contexts = apply_in_float(statistics_, pairs.statistics, kLargestContext);
  examples.weights = pairs.weights.cast<float>();
  const std::string name = "training/" + round.phase + "-" + std::to_string(round.round);
  const std::uint64_t made_from =
      memory_.works() ? fingerprint(network, examples, options, options_.seed) : std::uint64_t{0};
  if (const auto bytes = memory_.recall(name, made_from)) {
    std::vector<float> parameters;
    ByteReader reader(*bytes);
    reader(parameters, round.training);
    std::copy(parameters.begin(), parameters.end(), network.parameters().begin());
  } else {
    train_anew(network, examples, options, {memory_.journal(), name + "/state", made_from}, round);
    ByteWriter writer;
    writer(std::vector<float>(network.parameters().begin(), network.parameters().end()),
           round.training);
    memory_.remember(name, made_from, writer.bytes());
    memory_.forget(name + "/state");
  }
  summary_.training_seconds += round.training.seconds;
  if (round.training.diverged) {
    warn("training of " + round.phase + " " + std::to_string(round.round) +
         " blew up and was taken back to where it was best; lower the learning rate");
  }
}

std::shared_ptr<const Estimator> InferenceRun::make_estimator(
    std::shared_ptr<const Network> network, const Proposal& proposal, Index num_examples) const {
  return std::make_shared<Estimator>(Estimator::Parts{
      .prior = problem_.prior,
      .names = problem_.names.empty() ? default_names(prior().dim()) : problem_.names,
      .method = to_string(options_.method),
      .statistics = statistics_,
      .parameters = parameters_,
      .network = std::move(network),
      .proposal = proposal.gaussian,
      .observed = problem_.observed,
      .num_examples = num_examples,
      .min_weight = options_.min_weight});
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
