#include "run/run_problem.hpp"

#include <memory>

#include "epsfree/error.hpp"
#include "io/number_text.hpp"
#include "run/open_run.hpp"
#include "run/report_file.hpp"
#include "run/resumable_run.hpp"
#include "run/reused_simulations.hpp"
#include "run/run_check.hpp"
#include "run/run_directory.hpp"
#include "run/run_origin.hpp"
#include "run/run_reader.hpp"
#include "run/run_watch.hpp"

namespace epsfree {

std::string default_run_directory(const ProblemSpec& spec) { return "runs/" + spec.name; }

namespace {

/// Tells what was found of an earlier run.
void announce(RunState state, const std::string& out, Ledger& ledger, const ProblemSpec& spec,
              Observer& observer) {
  const Ledger::Opening& opening = ledger.opening();
  if (opening.was_damaged) {
    observer.log(LogLevel::warning,
                 "the ledger of '" + out + "' was damaged (" + opening.damage +
                     "): " + std::to_string(opening.num_recovered) +
                     " simulations could be read and are kept; the damaged file is now '" +
                     opening.damaged_copy + "'");
  }
  if (state == RunState::fresh) return;
  std::string text = state == RunState::grown
                         ? "continuing run '" + out + "' with a larger budget or another choice: "
                         : "resuming the unfinished run in '" + out + "': ";
  text += std::to_string(ledger.num_simulations()) + " of at most " +
          std::to_string(spec.options.num_simulations) + " simulations are recorded";
  const long values = ledger.num_values();
  if (values > 0) text += ", and " + std::to_string(values) + " results of training";
  observer.log(LogLevel::info, text);
}

/// What there is of a finished run. Nothing where failed simulations are to be run again and some
/// failed: not every failure is in the ledger, since streaming rejection and simulators that are
/// faster than recording leave none there.
std::optional<RunReport> finished_before(const ProblemSpec& spec, const RunSettings& settings) {
  RunReport report{.summary = open_summary(settings.out)};
  if (settings.retry_failed && report.summary.inference.simulations.num_faults() > 0) {
    return std::nullopt;
  }
  report.was_finished = true;
  sign_run(settings.out, spec);
  const auto changes = changed_simulator(settings.out, spec.simulator);
  if (!changes.empty()) {
    report.warning = "the simulator has changed since this run: " + describe(changes) +
                     "; use --force to start over with the new one";
  }
  return report;
}

std::unique_ptr<Runner> make_runner(const ProblemSpec& spec, MpiProcess* mpi) {
  if (mpi != nullptr) return mpi->runner(spec.run.runner());
  return std::make_unique<ThreadRunner>(spec.run.runner());
}

/// The run's own observer, for its checks.
class RunCheckListener final : public CheckListener {
 public:
  explicit RunCheckListener(Observer& observer) : observer_(observer) {}
  Observer* observer() override { return &observer_; }

 private:
  Observer& observer_;
};

/// Checks the answer and writes the page, from what the run has in memory. The results are there
/// already: nothing that goes wrong here takes them back.
void add_report(RunReport& report, const ProblemSpec& spec, const InferResult& result,
                const std::string& out, Runner& runner, ResumableRun& run, RunWatch& watch) {
  watch.enter("running", "checking");
  const std::string hint = "; `epsfree report " + shell_word(out) + "` makes up for it";
  try {
    RunCheckListener listener(watch);
    report.check = check_result(spec, result, out, report.summary.digest, {}, runner, &run.ledger(),
                                &listener);
    report.files.push_back(in_directory(out, kCheckFile));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted && !watch.time_is_up()) {
      watch.enter("finished", "");
      throw Error(
          ErrorKind::interrupted,
          "interrupted while the answer was checked: the run itself is finished and saved" + hint);
    }
    watch.log(LogLevel::warning,
              watch.time_is_up()
                  ? "the time limit left none to check the answer" + hint
                  : "the answer could not be checked: " + std::string(error.what()) + hint);
  }
  try {
    RunContents contents = contents_of(out, report.summary, result, run.run_toml());
    contents.problem = spec;
    contents.simulations = recorded_simulations(run.ledger());
    contents.check = report.check;
    report.files.push_back(write_report(contents));
  } catch (const Error& error) {
    watch.log(LogLevel::warning,
              "the report could not be made: " + std::string(error.what()) + hint);
  }
}

/// What to do next, which depends on why it stopped.
std::string next_step(bool time_or_user, bool mostly_faults, ResumableRun& run,
                      const std::string& out) {
  const long recorded = run.ledger().num_simulations();
  const std::string there = std::to_string(recorded) + " simulations are recorded in '" + out + "'";
  if (time_or_user) {
    return run.has_progress() ? "; " + there + ". Run the same command again to continue from there"
                              : "; nothing was recorded. Run the same command again to start";
  }
  if (mostly_faults) {
    if (recorded == 0) {
      return " Nothing was recorded. Fix the simulator, then run the same command again";
    }
    return " " + there +
           ". Fix the simulator, then run the same command again. If you changed its files, add "
           "--keep-simulations --retry-failed to keep the successful simulations, or --force to "
           "start over";
  }
  if (!run.has_progress()) return " Nothing was recorded";
  return " " + there +
         ". The same command would stop here again. Raise the budget to continue from these "
         "simulations; if you change anything else in the problem or the simulator, add --force to "
         "start over";
}

/// Closes a run that stopped early. The error that is returned tells the user what to do next.
Error close_early(const Error& error, bool mostly_faults, ResumableRun& run, RunWatch& watch,
                  const ProblemSpec& spec, const std::string& out) {
  const bool interrupted = error.kind() == ErrorKind::interrupted;
  const bool resumable = interrupted || error.kind() == ErrorKind::stopped;
  if (resumable) run.forget_outputs(spec.simulator);
  ErrorKind kind = error.kind();
  std::string message = error.what();
  if (interrupted && watch.time_is_up()) {
    kind = ErrorKind::stopped;
    message = "the time limit of " + number_text(spec.run.time_limit) + " s (run.time_limit) was " +
              "reached";
  }
  if (resumable) {
    run.ledger().commit();
    message += next_step(interrupted, mostly_faults, run, out);
  }
  watch.enter(kind == ErrorKind::interrupted ? "interrupted"
              : kind == ErrorKind::stopped   ? "stopped"
                                             : "failed",
              "", message);
  return Error(kind, message);
}

}  // namespace

RunReport run_problem(const ProblemSpec& given, const RunSettings& settings, Observer* observer) {
  ProblemSpec spec = given;
  open_reused(spec);
  const RunState state = inspect_run(settings.out, settings.force, spec);
  if (state == RunState::finished) {
    if (auto report = finished_before(spec, settings)) return *std::move(report);
  }
  ResumableRun run(settings.out, state, spec,
                   {.force = settings.force,
                    .retry_failed = settings.retry_failed,
                    .keep_simulations = settings.keep_simulations});
  run.ledger().set_commit_interval(settings.commit_seconds);
  const std::unique_ptr<Runner> simulations = make_runner(spec, settings.mpi);
  RecordingRunner runner(*simulations, run.ledger(),
                         {.policy = spec.run.record, .replace_others = run.has_grown()});
  RunWatch watch(observer, run.ledger(), runner, run.file(kStatusFile), spec.run.time_limit,
                 spec.options.num_simulations);
  announce(state, settings.out, run.ledger(), spec, watch);
  if (run.num_retried() > 0) {
    watch.log(LogLevel::info, "running " + std::to_string(run.num_retried()) +
                                  " failed simulations again, and everything that depends on "
                                  "them");
  }
  try {
    InferOptions options = spec.options;
    options.predict_change = spec.run.report;
    InferResult result = infer(spec.problem, options, runner, &watch, &run.ledger());
    run.forget_outputs(spec.simulator);
    if (const std::string mixed = run.mixed_simulators(); !mixed.empty()) {
      result.summary.warnings.push_back(mixed);
      watch.log(LogLevel::warning, mixed);
    }
    RunSummary summary;
    summary.problem = spec.name;
    summary.model = spec.model;
    summary.inference = result.summary;
    summary.num_planned = spec.options.num_simulations;
    summary.recording = {.policy = to_string(spec.run.record),
                         .num_replayed = runner.counts().num_replayed,
                         .num_simulated = runner.counts().num_simulated,
                         .num_recorded = runner.counts().num_recorded};
    if (run.ledger().opening().was_damaged) {
      summary.recording.num_recovered = run.ledger().opening().num_recovered;
    }
    summary.num_threads = simulations->num_threads();
    watch.enter("running", "saving");
    run.ledger().commit();
    summary.posterior = tabulate(*result.posterior, spec.problem.truth);
    run.begin_results();
    RunReport report =
        write_results([&](const char* name) { return run.file(name); }, std::move(summary),
                      *result.posterior, result.estimator.get(), run.run_toml());
    run.end_results();
    sign_run(settings.out, spec);
    if (spec.run.report) {
      add_report(report, spec, result, settings.out, *simulations, run, watch);
    }
    watch.enter("finished", "");
    return report;
  } catch (const StoppedByFaults& error) {
    if (watch.is_finished()) throw;
    const bool mostly = error.mostly_faults();
    const Error told = close_early(error, mostly, run, watch, spec, settings.out);
    throw StoppedByFaults(told.what(), error.theta(), error.seed(), mostly);
  } catch (const Error& error) {
    if (watch.is_finished()) throw;  // interrupted after its end
    throw close_early(error, false, run, watch, spec, settings.out);
  }
}

void serve_problem(const std::function<ProblemSpec()>& load, MpiProcess& mpi) {
  RunnerOptions options;
  mpi.serve(
      [&] {
        const ProblemSpec spec = load();
        options = spec.run.runner();
        return spec.problem.simulator;
      },
      options);
}

}  // namespace epsfree
