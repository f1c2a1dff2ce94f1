#include "run/run_check.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/require.hpp"
#include "base/stopwatch.hpp"
#include "epsfree/error.hpp"
#include "epsfree/version.hpp"
#include "io/sha256.hpp"
#include "run/resumable_run.hpp"
#include "run/reused_simulations.hpp"
#include "run/run_directory.hpp"

namespace epsfree {
namespace {

// Fewer do not show a tail.
constexpr long kFewestSimulations = 50;
constexpr long kMostSimulations = 1000;
// That suffice where making more would cost some.
constexpr Index kFewestRecorded = 20;
// From fewer repetitions a classifier learns nothing.
constexpr int kFewestForLocal = 50;

long default_simulations(const Summary& summary) {
  return std::clamp(summary.simulations.total() / 10, kFewestSimulations, kMostSimulations);
}

/// Valid simulations from the prior that the run made and kept, so that none is made again.
PredictiveSimulations recorded_from_prior(Ledger* ledger, const Summary& summary, long most) {
  PredictiveSimulations found;
  // The default method's first round is from the prior, and all of it is recorded or none.
  if (summary.method != "auto" || ledger == nullptr) return found;
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

/// Both together.
PredictiveSimulations joined(const PredictiveSimulations& a, PredictiveSimulations b) {
  b.num_made += a.num_made;
  const Index more = a.statistics.cols(), own = b.statistics.cols();
  if (more == 0) return b;
  b.thetas.conservativeResize(a.thetas.rows(), own + more);
  b.statistics.conservativeResize(a.statistics.rows(), own + more);
  b.thetas.rightCols(more) = a.thetas;
  b.statistics.rightCols(more) = a.statistics;
  return b;
}

/// The checks of one answer.
class AnswerCheck {
 public:
  AnswerCheck(const ProblemSpec& spec, const InferResult& result, const CheckSettings& settings)
      : spec_(spec), result_(result), settings_(settings) {
    record_.version = version();
    record_.seed = settings.seed;
    record_.digest = sha256(posterior_text(*result.posterior));
  }

  void simulate(Runner& runner, Ledger* ledger, Observer* observer) {
    const long count = settings_.num_simulations.value_or(default_simulations(result_.summary));
    if (count == 0) {
      record_.notes.push_back("No simulations were made to check the posterior with.");
      return;
    }
    const Problem& problem = spec_.problem;
    const PredictiveSimulations here =
        simulate_posterior(problem, *result_.posterior, count, settings_.seed, runner, observer);
    record_.num_posterior = here.num_made;
    add(predictive_check(problem.observed, here, spec_.statistic_names));
    add(predictive_statistics(problem.observed, here, spec_.statistic_names));
    add(misspecification(problem.observed, here, "posterior"));
    PredictiveSimulations before = recorded_from_prior(ledger, result_.summary, count);
    if (before.statistics.cols() < kFewestRecorded) {
      before = joined(before, simulate_prior(problem, count, settings_.seed, runner, observer));
    }
    record_.num_prior = before.num_made;
    auto far = prior_misspecification(problem.observed, before);
    if (!far) {
      record_.notes.push_back(
          "Only " + std::to_string(before.statistics.cols()) + " of " +
          std::to_string(before.num_made) +
          " simulations from the prior are valid, too few to compare the observation with. Whether "
          "the simulator can produce such data was checked with simulations from the posterior "
          "only.");
    }
    add(std::move(far));
  }

  void look_at_run() {
    for (Diagnosis& each : diagnose(result_.summary, result_.posterior->names()))
      record_.diagnoses.push_back(std::move(each));
    if (result_.estimator) {
      const std::vector<PosteriorPtr> members =
          weight_draws(*result_.estimator, spec_.problem.observed,
                       DiagnoseOptions().num_weight_draws, settings_.seed);
      if (members.size() >= 2) add(network_sensitivity(members, settings_.seed));
    }
  }

  void add_calibration(const Calibration& calibration) {
    record_.num_repetitions = static_cast<long>(calibration.records.size());
    for (Diagnosis& each : diagnose(calibration)) record_.diagnoses.push_back(std::move(each));
    const long whole = record_.num_repetitions - calibration.num_failed();
    if (whole < kFewestForLocal) {
      record_.notes.push_back("Calibration at the observation itself needs at least " +
                              std::to_string(kFewestForLocal) + " repetitions; there are " +
                              std::to_string(whole) + ".");
      return;
    }
    add(local_calibration(calibration, *result_.posterior, spec_.problem.observed,
                          {.seed = settings_.seed}));
  }

  void note(const std::string& sentence) { record_.notes.push_back(sentence); }

  CheckRecord finish() {
    judge_together(record_.diagnoses);
    record_.seconds = stopwatch_.seconds();
    return std::move(record_);
  }

 private:
  void add(std::optional<Diagnosis> diagnosis) {
    if (diagnosis) record_.diagnoses.push_back(*std::move(diagnosis));
  }

  const ProblemSpec& spec_;
  const InferResult& result_;
  const CheckSettings& settings_;
  CheckRecord record_;
  Stopwatch stopwatch_;
};

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
  AnswerCheck check(spec, result, settings);
  if (ledger != nullptr) {
    const auto changes = changed_simulator(*ledger, spec.simulator);
    if (!changes.empty()) {
      check.note("The simulator has changed since the run: " + describe(changes) +
                 ". These checks used the new simulator.");
    }
  }
  check.simulate(runner, ledger, listener != nullptr ? listener->observer() : nullptr);
  check.look_at_run();
  if (settings.num_repetitions > 0) {
    check.add_calibration(calibrated(spec, result, settings, listener, journal));
  }
  return check.finish();
}

CheckRecord check_result(const ProblemSpec& spec, const InferResult& result,
                         const std::string& run_directory, const CheckSettings& settings,
                         Runner& runner, Ledger* ledger, CheckListener* listener) {
  Ledger kept(in_directory(run_directory, kCheckLedgerFile));
  forget_other_simulator(kept, spec.simulator);
  RecordingRunner recording(runner, kept, {.policy = spec.run.record, .replace_others = true});
  CheckRecord record = check_answer(spec, result, settings, recording, ledger, listener, &kept);
  write_file_atomically(in_directory(run_directory, kCheckFile), check_json(record));
  return record;
}

CheckRecord check_run(const std::string& run_directory, const CheckSettings& settings,
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
  return check_result(spec, result, run_directory, settings, runner, ledger ? &*ledger : nullptr,
                      listener);
}

}  // namespace epsfree
