#include "app/services.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "app/budget.hpp"
#include "app/number_text.hpp"
#include "app/resumable_run.hpp"
#include "app/run_check.hpp"
#include "app/run_directory.hpp"
#include "app/run_origin.hpp"
#include "app/run_report.hpp"
#include "app/run_watch.hpp"
#include "app/sha256.hpp"
#include "app/stopwatch.hpp"
#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "epsfree/version.hpp"

namespace epsfree {
namespace {

// Writes what there is of a run, the summary with the posterior's digest last.
RunReport write_results(const std::function<std::string(const char*)>& place, RunSummary summary,
                        const Posterior& posterior, const Estimator* estimator,
                        const std::string& run_toml) {
  RunReport report;
  if (!run_toml.empty()) {
    report.files.push_back(place(kRunFile));
    write_file_atomically(report.files.back(), run_toml);
  }
  report.files.push_back(place(kPosteriorFile));
  save_posterior(posterior, report.files.back());
  summary.digest = sha256(read_file(report.files.back()));
  summary.version = version();
  if (estimator != nullptr) {
    report.files.push_back(place(kEstimatorFile));
    save_estimator(*estimator, report.files.back());
  }
  report.files.push_back(place(kSummaryFile));
  write_file_atomically(report.files.back(), summary_json(summary));
  report.summary = std::move(summary);
  return report;
}

// The same in a directory of its own, all of it or nothing.
RunReport publish(RunDirectory& directory, RunSummary summary, const Posterior& posterior,
                  const Estimator* estimator, const std::string& run_toml) {
  RunReport report = write_results([&](const char* name) { return directory.staged(name); },
                                   std::move(summary), posterior, estimator, run_toml);
  directory.publish();
  for (std::string& file : report.files) {
    file =
        (std::filesystem::path(directory.path()) / std::filesystem::path(file).filename()).string();
  }
  return report;
}

// `--force` replaces an earlier run, but never one that is being read.
void check_not_input(const std::string& out, const std::string& input) {
  if (!same_directory(out, input)) return;
  throw Error(ErrorKind::usage, "--out '" + out + "' is the run '" + input +
                                    "' that is read here; give --out another directory");
}

// The runs whose data a posterior is given, by digest: those of a combination, or the run itself.
std::vector<std::string> data_of(const RunSummary& run) {
  return run.kind == "combination" ? run.sources : std::vector<std::string>{run.digest};
}

}  // namespace

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
          std::to_string(planned_simulations(spec.options)) + " simulations are recorded";
  const long values = ledger.num_values();
  if (values > 0) text += ", and " + std::to_string(values) + " results of training";
  observer.log(LogLevel::info, text);
}

/// Whether simulations of a finished run failed. Not every failure is in the ledger: streaming
/// rejection and simulators that are faster than recording leave none there.
bool has_failed(const std::string& out) {
  return open_summary(out).inference.simulations.num_faults() > 0;
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

/// Checks the answer and writes the page. The results are there already: nothing that goes wrong
/// here takes them back.
void add_report(RunReport& report, const ProblemSpec& spec, const InferResult& result,
                const std::string& out, Runner& runner, Ledger& ledger, RunWatch& watch) {
  watch.enter("running", "checking");
  const std::string hint = "; `epsfree report " + shell_word(out) + "` makes up for it";
  try {
    RunCheckListener listener(watch);
    report.check = check_result(spec, result, out, {}, runner, &ledger, &listener);
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
    report.files.push_back(write_report(out, "", &ledger));
  } catch (const Error& error) {
    watch.log(LogLevel::warning,
              "the report could not be made: " + std::string(error.what()) + hint);
  }
}

/// What to do next, which depends on why it stopped.
std::string next_step(const Error& error, bool time_or_user, ResumableRun& run,
                      const std::string& out) {
  const long recorded = run.ledger().num_simulations();
  const std::string there = std::to_string(recorded) + " simulations are recorded in '" + out + "'";
  if (time_or_user) {
    return run.has_progress() ? "; " + there + ". Run the same command again to continue from there"
                              : "; nothing was recorded. Run the same command again to start";
  }
  const auto* const faults = dynamic_cast<const StoppedByFaults*>(&error);
  if (faults != nullptr && faults->mostly_faults()) {
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

/// What to tell a user whose run stopped early.
[[noreturn]] void rethrow(const Error& error, ResumableRun& run, RunWatch& watch,
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
    message += next_step(error, interrupted, run, out);
  }
  watch.enter(kind == ErrorKind::interrupted ? "interrupted"
              : kind == ErrorKind::stopped   ? "stopped"
                                             : "failed",
              "", message);
  if (const auto* fault = dynamic_cast<const StoppedByFaults*>(&error)) {
    throw StoppedByFaults(message, fault->theta(), fault->seed(), fault->mostly_faults());
  }
  throw Error(kind, message);
}

}  // namespace

RunReport run_problem(const ProblemSpec& given, const RunSettings& settings, Observer* observer) {
  ProblemSpec spec = given;
  const RunState state = inspect_run(settings.out, settings.force, spec);
  if (state == RunState::finished && !(settings.retry_failed && has_failed(settings.out))) {
    RunReport report{.summary = open_summary(settings.out)};
    report.was_finished = true;
    sign_run(settings.out, spec);
    const auto changes = changed_simulator(settings.out, spec.simulator);
    if (!changes.empty()) {
      report.warning = "the simulator has changed since this run: " + describe(changes) +
                       "; use --force to start over with the new one";
    }
    return report;
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
                 planned_simulations(spec.options));
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
    summary.num_planned = planned_simulations(spec.options);
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
                      *result.posterior, result.estimator.get(), resolved_toml(spec));
    run.end_results();
    sign_run(settings.out, spec);
    if (spec.run.report) {
      add_report(report, spec, result, settings.out, *simulations, run.ledger(), watch);
    }
    watch.enter("finished", "");
    return report;
  } catch (const Error& error) {
    if (watch.is_finished()) throw;  // interrupted after its end
    rethrow(error, run, watch, spec, settings.out);
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

RunReport run_at_observation(const std::string& run_directory, const ProblemOverrides& overrides,
                             const RunSettings& settings) {
  const Stopwatch stopwatch;
  check_not_input(settings.out, run_directory);
  const std::string estimator_path = run_file(run_directory, kEstimatorFile);
  const RunSummary before = open_summary(run_directory);
  const std::shared_ptr<const Estimator> trained = load_estimator(estimator_path);
  if (!trained->amortised()) {
    throw Error(ErrorKind::usage,
                "'" + run_directory + "' was learnt with method \"" + trained->parts().method +
                    "\", which simulates where its own observation points and holds for no other; "
                    "run the problem again with --observed, or learn it once with method "
                    "\"mdn-with-prior\"");
  }
  const std::string run_path = run_file(run_directory, kRunFile);
  const std::string run_toml = read_file(run_path);
  // The simulator is needed to check the answer only.
  const std::string foreign = settings.trust ? "" : why_foreign(run_directory, run_toml);
  const ProblemSpec spec = foreign.empty() ? open_problem(run_toml, run_path, overrides)
                                           : parse_problem(run_toml, run_path, overrides);
  RunDirectory directory(settings.out, settings.force);
  const PosteriorPtr posterior = trained->posterior(spec.problem.observed);
  Estimator::Parts parts = trained->parts();
  parts.observed = spec.problem.observed;
  const Estimator estimator(std::move(parts));
  RunSummary summary;
  summary.kind = "new observation";
  summary.problem = spec.name;
  summary.model = spec.model;
  summary.sources = {before.digest};
  summary.inference.method = before.inference.method;
  summary.inference.seed = before.inference.seed;
  summary.inference.finished = true;
  summary.inference.total_seconds = stopwatch.seconds();
  summary.posterior = tabulate(*posterior, spec.problem.truth);
  RunReport report =
      publish(directory, std::move(summary), *posterior, &estimator, resolved_toml(spec));
  if (!foreign.empty()) {
    report.warning = "the answer was not checked: the simulator of '" + run_directory +
                     "' is a program, and the directory may come from someone else (" + foreign +
                     "); if you trust it, add --trust";
    return report;
  }
  sign_run(settings.out, spec);
  if (!spec.run.report) return report;
  // The answer is there already: what goes wrong now does not take it back.
  try {
    report.check = check_run(settings.out, {.trust = settings.trust});
    report.files.push_back(in_directory(settings.out, kCheckFile));
    report.files.push_back(write_report(settings.out));
  } catch (const Error& error) {
    report.warning = "the answer could not be checked: " + std::string(error.what());
  }
  return report;
}

RunReport combine_runs(const std::vector<std::string>& run_directories,
                       const RunSettings& settings) {
  const Stopwatch stopwatch;
  if (run_directories.size() < 2) {
    throw Error(ErrorKind::usage, "combine: expected at least two run directories, got " +
                                      std::to_string(run_directories.size()));
  }
  for (const std::string& path : run_directories) check_not_input(settings.out, path);
  RunSummary summary;
  summary.kind = "combination";
  std::vector<PosteriorPtr> posteriors;
  std::optional<Eigen::VectorXd> truth;
  std::map<std::string, std::string> seen;  // digests, and in which argument
  for (const std::string& path : run_directories) {
    const RunSummary part = open_summary(path);
    const PosteriorPtr next = open_posterior(path);
    for (const std::string& digest : data_of(part)) {
      const auto [at, is_new] = seen.emplace(digest, path);
      if (!is_new) {
        throw Error(ErrorKind::input, "'" + at->second + "' and '" + path +
                                          "' hold the same run (posterior " + digest.substr(0, 12) +
                                          "...): its data would count twice; expected runs of "
                                          "independent data");
      }
      summary.sources.push_back(digest);
    }
    posteriors.push_back(next);
    if (posteriors.size() == 1) {
      truth = part.posterior.truth;
      summary.problem = part.problem;
      summary.model = part.model;
      continue;
    }
    if (truth && part.posterior.truth != truth) truth.reset();
    if (summary.model != part.model) {
      throw Error(ErrorKind::input, "'" + path + "' is of the model '" + part.model + "', '" +
                                        run_directories.front() + "' of '" + summary.model +
                                        "': expected runs of one model");
    }
    if (next->names() != posteriors.front()->names()) {
      throw Error(ErrorKind::input, "'" + path + "' and '" + run_directories.front() +
                                        "' have parameters of different names");
    }
    try {
      require_combinable(*posteriors.front(), *next);
    } catch (const Error& error) {
      throw Error(error.kind(),
                  "'" + run_directories.front() + "' and '" + path + "': " + error.what());
    }
  }
  const CombinedPosterior combined = combine_all(posteriors);
  const PosteriorPtr& posterior = combined.posterior;
  summary.combination = {combined.is_exact, combined.total_variation, combined.divergence};
  if (!combined.warning().empty()) summary.inference.warnings.push_back(combined.warning());
  RunDirectory directory(settings.out, settings.force);
  summary.inference.method = "combine";
  summary.inference.finished = true;
  summary.inference.total_seconds = stopwatch.seconds();
  summary.posterior = tabulate(*posterior, truth);
  RunReport report = publish(directory, std::move(summary), *posterior, nullptr, "");
  try {
    report.files.push_back(write_report(settings.out));
  } catch (const Error& error) {
    report.warning = "the report could not be made: " + std::string(error.what());
  }
  return report;
}

PosteriorPtr open_posterior(const std::string& path) {
  const std::string file = run_file(path, kPosteriorFile);
  if (is_directory(path)) open_summary(path);  // for its check of the digest
  return load_posterior(file);
}

RunSummary open_summary(const std::string& run_directory) {
  const std::string path = run_file(run_directory, kSummaryFile);
  RunSummary summary = parse_summary(read_file(path), path);
  if (!is_directory(run_directory)) return summary;
  const std::string posterior = run_file(run_directory, kPosteriorFile);
  const std::string digest = sha256(read_file(posterior));
  if (digest != summary.digest) {
    throw Error(ErrorKind::input, posterior + ": its digest is " + digest + ", expected " +
                                      summary.digest + " as in " + path +
                                      ": it was changed after the run");
  }
  return summary;
}

}  // namespace epsfree
