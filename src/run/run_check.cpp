#include "run/run_check.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/require.hpp"
#include "base/stopwatch.hpp"
#include "epsfree/error.hpp"
#include "epsfree/version.hpp"
#include "run/resumable_run.hpp"
#include "run/reused_simulations.hpp"
#include "run/run_directory.hpp"

namespace epsfree {
namespace {

// Fewer do not show a tail.
constexpr long kFewestSimulations = 50;
constexpr long kMostSimulations = 1000;
// From fewer repetitions a classifier learns nothing.
constexpr int kFewestForLocal = 50;

long default_simulations(const Summary& summary) {
  return std::clamp(summary.simulations.total() / 10, kFewestSimulations, kMostSimulations);
}

/// Whether the first round of a run's ledger is from the prior, and all of it recorded or none.
bool first_round_is_from_prior(const Summary& summary) { return summary.method == "auto"; }

/// Valid simulations from the prior that the run made and kept, so that none is made again.
PredictiveSimulations recorded_from_prior(Ledger* ledger, const Summary& summary, long most) {
  PredictiveSimulations found;
  if (!first_round_is_from_prior(summary) || ledger == nullptr) return found;
  std::vector<double> thetas, statistics;
  Index dim = 0, num_statistics = 0, count = 0;
  try {
    const Key first{.purpose = Purpose::simulation, .round = 1};
    ledger->visit(first, ~std::uint64_t{0}, [&](const LedgerRow& row) {
      ++found.num_made;
      if (row.status != SimStatus::ok || count == most) return;
      ++count;
      dim = static_cast<Index>(row.theta.size());
      num_statistics = static_cast<Index>(row.x.size());
      thetas.insert(thetas.end(), row.theta.begin(), row.theta.end());
      statistics.insert(statistics.end(), row.x.begin(), row.x.end());
    });
  } catch (const Error&) {
    return {};  // then they are made again
  }
  if (count == 0) return found;
  found.thetas = Eigen::Map<const Eigen::MatrixXd>(thetas.data(), dim, count);
  found.statistics = Eigen::Map<const Eigen::MatrixXd>(statistics.data(), num_statistics, count);
  return found;
}

/// A check makes few simulations, so they are made again if the simulator has changed.
void forget_other_simulator(Ledger& kept, const SimulatorSpec& spec) {
  constexpr const char* kNote = "simulator";
  const std::string now = SimulatorFingerprint::of(spec).text();
  const auto before = kept.note(kNote);
  if (before == now) return;
  if (before) kept.clear();
  kept.set_note(kNote, now);
  kept.commit();
}

/// A network that holds for any observation is not trained again.
Calibration calibrated(const ProblemSpec& spec, const InferResult& result,
                       const CheckSettings& settings, CalibrationListener* listener,
                       Journal* journal) {
  const CalibrationOptions options{.num_repetitions = settings.num_repetitions,
                                   .seed = settings.seed,
                                   .num_threads = spec.run.threads};
  if (result.estimator && result.estimator->amortised()) {
    return calibrate(spec.problem, result.estimator, options, listener, journal);
  }
  return calibrate(spec.problem, spec.options, options, listener, journal);
}

void add_calibration(CheckRecord& record, const Calibration& calibration, const ProblemSpec& spec,
                     const InferResult& result) {
  record.num_repetitions = static_cast<long>(calibration.records.size());
  for (Diagnosis& each : diagnose(calibration)) record.diagnoses.push_back(std::move(each));
  const long whole = record.num_repetitions - calibration.num_failed();
  if (whole < kFewestForLocal) {
    record.notes.push_back("Calibration at the observation itself needs at least " +
                           std::to_string(kFewestForLocal) + " repetitions; there are " +
                           std::to_string(whole) + ".");
    return;
  }
  record.diagnoses.push_back(local_calibration(calibration, *result.posterior,
                                               spec.problem.observed, {.seed = record.seed}));
}

}  // namespace

void CheckSettings::validate() const {
  if (num_simulations && *num_simulations != 0) {
    require_between(20, 10'000'000, "the number of simulations of a check", *num_simulations);
  }
  require(num_repetitions == 0 || (num_repetitions >= 10 && num_repetitions <= 10'000'000),
          "the number of repetitions of a calibration", num_repetitions, "0 or at least 10");
}

CheckRecord check_answer(const ProblemSpec& spec, const InferResult& result,
                         const CheckSettings& settings, Runner& runner, Ledger* ledger,
                         CheckListener* listener, Journal* journal) {
  settings.validate();
  const Stopwatch stopwatch;
  CheckRecord record;
  record.version = version();
  record.seed = settings.seed;
  if (ledger != nullptr) {
    const auto changes = changed_simulator(*ledger, spec.simulator);
    if (!changes.empty()) {
      record.notes.push_back("The simulator has changed since the run: " + describe(changes) +
                             ". These checks used the new simulator.");
    }
  }
  DiagnoseOptions options;
  options.num_predictive = settings.num_simulations.value_or(default_simulations(result.summary));
  options.num_prior = options.num_predictive;
  options.seed = settings.seed;
  options.statistic_names = spec.statistic_names;
  if (options.num_prior > 0) {
    options.known_prior = recorded_from_prior(ledger, result.summary, options.num_prior);
  }
  AnswerDiagnoses found = diagnose(spec.problem, result, runner, options,
                                   listener != nullptr ? listener->observer() : nullptr);
  record.num_posterior = found.num_posterior;
  record.num_prior = found.num_prior;
  record.diagnoses = std::move(found.diagnoses);
  record.notes.insert(record.notes.end(), found.notes.begin(), found.notes.end());
  if (settings.num_repetitions > 0) {
    add_calibration(record, calibrated(spec, result, settings, listener, journal), spec, result);
    judge_together(record.diagnoses);
  }
  record.seconds = stopwatch.seconds();
  return record;
}

CheckRecord check_result(const ProblemSpec& spec, const InferResult& result,
                         const std::string& run_directory, const std::string& digest,
                         const CheckSettings& settings, Runner& runner, Ledger* ledger,
                         CheckListener* listener) {
  Ledger kept(in_directory(run_directory, kCheckLedgerFile));
  forget_other_simulator(kept, spec.simulator);
  RecordingRunner recording(runner, kept, {.policy = spec.run.record, .replace_others = true});
  CheckRecord record = check_answer(spec, result, settings, recording, ledger, listener, &kept);
  record.digest = digest;
  write_file_atomically(in_directory(run_directory, kCheckFile), check_json(record));
  return record;
}

RunContents check_run(const std::string& run_directory, const CheckSettings& settings,
                      CheckListener* listener) {
  settings.validate();
  RunContents contents =
      read_run(run_directory, settings.trust ? OpenSimulator::any : OpenSimulator::own);
  const InferResult result = contents.result();
  if (!contents.problem) {
    std::string message = "'" + run_directory + "' cannot be checked: its problem is not known";
    if (contents.summary->kind == "combination") {
      message = "'" + run_directory +
                "' is a combination of runs, which has no simulator of its own: check the runs "
                "it was made from";
    }
    for (const std::string& fault : contents.faults) message += "; " + fault;
    throw Error(ErrorKind::input, message);
  }
  ProblemSpec& spec = *contents.problem;
  if (settings.num_repetitions > 0) open_reused(spec);  // its inferences use them again
  if (settings.num_threads) spec.run.threads = *settings.num_threads;
  ThreadRunner runner(spec.run.runner());
  std::optional<Ledger> ledger;
  try {
    ledger.emplace(in_directory(run_directory, kLedgerFile), Ledger::Access::read);
  } catch (const Error&) {  // gone or damaged: what it holds is made again
  }
  contents.check = check_result(spec, result, run_directory, contents.summary->digest, settings,
                                runner, ledger ? &*ledger : nullptr, listener);
  return contents;
}

}  // namespace epsfree
