// `epsfree run`: from a problem file to a posterior.
#include <memory>
#include <optional>
#include <string>

#include "base/words.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "epsfree/mpi.hpp"
#include "epsfree/process_simulators.hpp"
#include "io/number_text.hpp"
#include "problem/single_simulation.hpp"
#include "run/derived_runs.hpp"
#include "run/open_run.hpp"
#include "run/resumable_run.hpp"
#include "run/run_check.hpp"
#include "run/run_directory.hpp"
#include "run/run_problem.hpp"

namespace epsfree::cli {
namespace {

struct RunArguments {
  std::string problem;
  std::string out;
  ProblemOverrides overrides;
  std::optional<int> threads;
  std::optional<std::string> record;
  std::optional<int> retries;
  std::optional<long> chunk;
  std::optional<long> give_up_after;
  std::optional<double> time_limit;
  bool dry_run = false;
  bool force = false;
  bool retry_failed = false;
  bool keep_simulations = false;
  bool trust = false;
  bool no_report = false;
  bool quiet = false;
  bool strict = false;
};

/// The options of the command line over those of [run].
RunOverrides run_overrides(const RunArguments& arguments) {
  RunOverrides overrides;
  const auto add = [&](const char* key, const auto& value) {
    if (value) overrides.emplace_back(key, std::to_string(*value));
  };
  add("threads", arguments.threads);
  if (arguments.record) overrides.emplace_back("record", toml_quote(*arguments.record));
  add("retries", arguments.retries);
  add("chunk", arguments.chunk);
  add("give_up_after", arguments.give_up_after);
  if (arguments.no_report) overrides.emplace_back("report", "false");
  if (arguments.time_limit) {
    overrides.emplace_back("time_limit", toml_number(*arguments.time_limit));
  }
  return overrides;
}

/// The verdict with what did not pass; the page says more.
std::string verdict_line(const CheckRecord& check) {
  Listing names;
  for (const Diagnosis& each : check.diagnoses) {
    if (each.verdict != Verdict::pass) names.add(each.name);
  }
  return std::string("Checks: ") + to_string(check.verdict()) +
         (names.empty() ? "" : " (" + names.text() + "; see the report)") + "\n";
}

void print_report(const RunReport& report, const std::string& directory, bool quiet) {
  if (!report.warning.empty()) print_warning(report.warning);
  if (quiet) return;
  write_out(posterior_table(report.summary.posterior));
  flush_out();
  if (report.was_finished) {
    write_err("\nThis run was finished already: nothing was computed. --force starts it over.\n");
    return;
  }
  std::string text;
  if (const std::string unspent = report.summary.unspent(); !unspent.empty()) {
    text += "\n" + unspent + "\n";
  }
  const SimulationCounts& counts = report.summary.inference.simulations;
  const long faults =
      counts[SimStatus::failed] + counts[SimStatus::timeout] + counts[SimStatus::lost];
  if (faults > 0) {
    text += "\n" + std::to_string(faults) +
            " simulations failed. Fix the cause, then run the same command with --retry-failed to "
            "run them again.\n";
  }
  text += "\nWrote\n";
  for (const std::string& file : report.files) text += "  " + file + "\n";
  if (report.check) text += verdict_line(*report.check);
  text += "Next:\n  epsfree show " + shell_word(directory) + "\n  epsfree sample " +
          shell_word(directory) + " -n 1000 > samples.csv\n";
  write_err(text);
}

/// What the checks of a finished run found at that time; nothing where that cannot be read.
std::optional<CheckRecord> earlier_check(const RunReport& report, const std::string& directory) {
  try {
    return open_check(directory, report.summary.digest);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Ends the program with the exit code of `epsfree check`. A run that was finished before may have
/// been checked at that time. An answer that could not be checked counts as a failure.
void end_with_verdict(const RunReport& report, const std::string& directory) {
  std::optional<CheckRecord> check = report.check;
  if (!check && report.was_finished) {
    check = earlier_check(report, directory);
    if (!check) check = check_run(directory).check;
  }
  flush_out();
  end_as(check ? check->verdict() : Verdict::fail);
}

/// Throws if --strict is given but the run makes no checks at its end.
void check_strict(const RunArguments& arguments, const RunOptions& run) {
  if (!arguments.strict || run.report) return;
  throw Error(ErrorKind::usage,
              arguments.no_report
                  ? "--strict and --no-report cannot be used together: --strict needs the checks "
                    "at the end of the run"
                  : "--strict needs the checks at the end of the run, but the problem file turns "
                    "them off (report = false under [run]); remove that line");
}

std::string describe(RunState state, const std::string& out) {
  switch (state) {
    case RunState::fresh:
      return "";
    case RunState::unfinished:
      return "It would go on with the unfinished run in " + out + ".\n";
    case RunState::finished:
      return "That run is finished: it would only be shown.\n";
    case RunState::grown:
      break;
  }
  return "It would go on with the simulations of the run in " + out + ".\n";
}

void say_what_would_run(ProblemSpec spec, const std::string& out, bool force, bool quiet) {
  write_out(resolved_toml(spec));
  if (quiet) return;
  write_err("A dry run: nothing ran and nothing was written.\nIt would make up to " +
            std::to_string(spec.options.num_simulations) + " simulations and write to " + out +
            ".\n");
  try {
    const RunState state = inspect_run(out, force, spec);
    write_err(describe(state, out));
    const auto changes = changed_simulator(out, spec.simulator);
    if (state != RunState::fresh && !changes.empty()) {
      print_warning("the simulator has changed since that run: " + epsfree::describe(changes) +
                    "; use --force to start over, or --keep-simulations to continue with the "
                    "simulations of both versions");
    }
  } catch (const Error& error) {
    print_warning(error.what());
  }
}

void run_from_directory(const RunArguments& arguments) {
  const ProblemOverrides& overrides = arguments.overrides;
  if (!overrides.observed_file && !overrides.observe_seed) {
    throw Error(ErrorKind::usage, "'" + arguments.problem +
                                      "' is a directory: give --observed FILE for its posterior at "
                                      "another observation, or run its run.toml to repeat it");
  }
  if (!overrides.assignments.empty() || overrides.seed) {
    throw Error(ErrorKind::usage, "--set and --seed cannot change a run that is finished: '" +
                                      arguments.problem + "'");
  }
  if (arguments.out.empty()) {
    throw Error(ErrorKind::usage, "give --out DIR for the posterior at the new observation");
  }
  if (arguments.dry_run) {
    throw Error(ErrorKind::usage, "--dry-run is for problem files, not for finished runs");
  }
  check_strict(arguments, {.report = !arguments.no_report});
  ProblemOverrides with_report = overrides;
  if (arguments.no_report) with_report.run = {{"report", "false"}};
  const RunReport report = run_at_observation(
      arguments.problem, with_report,
      {.out = arguments.out, .force = arguments.force, .trust = arguments.trust});
  print_report(report, arguments.out, arguments.quiet);
  if (arguments.strict) end_with_verdict(report, arguments.out);
}

void run(const RunArguments& arguments) {
  if (is_directory(arguments.problem)) return run_from_directory(arguments);
  ProblemOverrides overrides = arguments.overrides;
  overrides.run = run_overrides(arguments);
  const auto load = [&] { return load_problem(arguments.problem, overrides); };
  // First, so that the others are sent home whatever happens here.
  std::optional<MpiProcess> mpi;
  if (num_launched_processes() > 1) {
    start_nursery();  // nothing may fork once MPI has started
    mpi.emplace();
  }
  if (mpi && mpi->rank() != 0) {
    ignore_interrupts();  // rank 0 decides
    return serve_problem(load, *mpi);
  }
  const ProblemSpec spec = load();
  check_strict(arguments, spec.run);
  const std::string out = arguments.out.empty() ? default_run_directory(spec) : arguments.out;
  if (arguments.dry_run) return say_what_would_run(spec, out, arguments.force, arguments.quiet);
  catch_interrupts();
  RunReport report;
  {
    Progress progress(arguments.quiet        ? ProgressStyle::none
                      : stderr_is_terminal() ? ProgressStyle::bar
                                             : ProgressStyle::lines);
    try {
      report = run_problem(spec,
                           {.out = out,
                            .force = arguments.force,
                            .retry_failed = arguments.retry_failed,
                            .keep_simulations = arguments.keep_simulations,
                            .mpi = mpi ? &*mpi : nullptr},
                           &progress);
    } catch (const StoppedByFaults& fault) {
      throw Error(fault.kind(),
                  std::string(fault.what()) + "\nTo see that one alone:\n  " +
                      simulate_command(arguments.problem, arguments.overrides.assignments,
                                       fault.theta(), fault.seed()));
    }
  }
  print_report(report, out, arguments.quiet);
  if (arguments.strict) end_with_verdict(report, out);
}

}  // namespace

void add_run(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<RunArguments>();
  ProblemOverrides& overrides = arguments->overrides;
  CLI::App* command = app.add_subcommand("run", "infer a posterior and write a run directory");
  command
      ->add_option("PROBLEM", arguments->problem,
                   "a problem file, or (with --observed) the directory of a finished run")
      ->required()
      ->type_name("FILE");
  command->add_option("--out", arguments->out, "the run directory to make [runs/<problem name>]")
      ->type_name("DIR");
  add_whole(command, "--seed", overrides.seed, 0, kLargestSeed,
            "of all random numbers, over the problem file's");
  add_whole(command, "--threads", arguments->threads, 0, 4096,
            "for simulations; 0: all. Never changes a result");
  command
      ->add_option("--record", arguments->record,
                   "which simulations to keep for resuming: auto, always or never [auto: unless "
                   "they are faster than recording]")
      ->type_name("WHICH")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  add_whole(command, "--retries", arguments->retries, 0, 1000,
            "of a simulation that fails, with the same seed [1]");
  add_whole(command, "--chunk", arguments->chunk, 0, 1000000000,
            "simulations a thread takes at a time; 0: what suits the simulator");
  add_whole(command, "--give-up-after", arguments->give_up_after, 0, 1000000000,
            "stop the run after this many simulations if all of them failed; 0: never [20]");
  command
      ->add_option("--time-limit", arguments->time_limit,
                   "save and stop after this many seconds, with exit code 75")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--observed", overrides.observed_file,
                   "take the observation from a file: CSV or a JSON array of numbers")
      ->type_name("FILE");
  add_whole(command, "--observe-seed", overrides.observe_seed, 0, kLargestSeed,
            "draw another observation of a built-in model with this seed");
  command
      ->add_option("--set", overrides.assignments,
                   "change a key of the problem file; may be given several times")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  command->add_flag("--no-report", arguments->no_report,
                    "do not check the answer at the end, nor write report.html");
  command->add_flag("--dry-run", arguments->dry_run,
                    "check everything, print the resolved problem, run nothing");
  command->add_flag("--force", arguments->force,
                    "start over, replacing an earlier run in the run directory");
  command->add_flag("--retry-failed", arguments->retry_failed,
                    "run failed simulations again, and everything that depends on them");
  command->add_flag("--keep-simulations", arguments->keep_simulations,
                    "continue with the recorded simulations even if the simulator has changed");
  command->add_flag("--trust", arguments->trust,
                    "run the simulator even if the run directory may come from someone else");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors: no progress, no table");
  command->add_flag("--strict", arguments->strict,
                    "use the verdict of the checks as exit code: 0 pass, 3 warning, 4 failure");
  command->footer(R"(Examples:
  epsfree run lotka-volterra.toml
  epsfree run lotka-volterra.toml --seed 2 --out runs/lv-2
  epsfree run lotka-volterra.toml --set method.num_simulations=400
  epsfree run lotka-volterra.toml --strict --quiet && echo trusted
  epsfree run mixture.toml --observed data.csv --out runs/mine

A run that learnt with "mdn-with-prior" holds for any observation; this learns nothing anew:
  epsfree run runs/amortised --observed data.csv --out runs/at-data

The same command on the same directory goes on where a run was interrupted or killed, and only
shows one that is finished. A larger method.num_simulations goes on from what is there. Ctrl-C saves
and stops, a second one ends at once. If the simulator has changed, the run does not continue
without --keep-simulations. After you fix the simulator, --keep-simulations --retry-failed keeps the
successful simulations and runs the others again; --force starts over.

A run directory holds run.toml (everything resolved; running it repeats the run), ledger.sqlite (the
simulations, see `epsfree ledger`), status.json (how far it is), posterior.json, summary.json,
from the strategies of the paper estimator.json, and what the checks of the
answer found: check.json and report.html, a page for the browser.)");
  command->callback([arguments, &chosen] { chosen = [arguments] { run(*arguments); }; });
}

}  // namespace epsfree::cli
