// `epsfree run`: from a problem file to a posterior.
#include <memory>
#include <string>

#include "app/budget.hpp"
#include "app/run_directory.hpp"
#include "app/services.hpp"
#include "app/single_simulation.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"

namespace epsfree::cli {
namespace {

struct RunArguments {
  std::string problem;
  std::string out;
  ProblemOverrides overrides;
  int num_threads = 0;
  bool dry_run = false;
  bool force = false;
  bool quiet = false;
};

void print_report(const RunReport& report, const std::string& directory, bool quiet) {
  if (quiet) return;
  write_out(posterior_table(report.summary.posterior));
  flush_out();
  std::string text = "\nWrote\n";
  for (const std::string& file : report.files) text += "  " + file + "\n";
  text += "Next:\n  epsfree show " + directory + "\n  epsfree sample " + directory +
          " -n 1000 > samples.csv\n";
  write_err(text);
}

void say_what_would_run(const ProblemSpec& spec, const std::string& out, bool force, bool quiet) {
  write_out(resolved_toml(spec));
  if (quiet) return;
  write_err("A dry run: nothing ran and nothing was written.\nIt would make up to " +
            std::to_string(planned_simulations(spec.options)) + " simulations and write to " + out +
            ".\n");
  try {
    const RunDirectory check(out, force);
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
  const RunReport report =
      run_at_observation(arguments.problem, overrides, {arguments.out, arguments.force, 0});
  print_report(report, arguments.out, arguments.quiet);
}

void run(const RunArguments& arguments) {
  if (is_directory(arguments.problem)) return run_from_directory(arguments);
  const ProblemSpec spec = load_problem(arguments.problem, arguments.overrides);
  const std::string out = arguments.out.empty() ? default_run_directory(spec) : arguments.out;
  if (arguments.dry_run) return say_what_would_run(spec, out, arguments.force, arguments.quiet);
  catch_interrupts();
  RunReport report;
  {
    Progress progress(arguments.quiet        ? ProgressStyle::none
                      : stderr_is_terminal() ? ProgressStyle::bar
                                             : ProgressStyle::lines);
    try {
      report = run_problem(spec, {out, arguments.force, arguments.num_threads}, &progress);
    } catch (const StoppedByFaults& fault) {
      throw Error(fault.kind(),
                  std::string(fault.what()) + "\nTo see that one alone:\n  " +
                      simulate_command(arguments.problem, arguments.overrides.assignments,
                                       fault.theta(), fault.seed()));
    }
  }
  print_report(report, out, arguments.quiet);
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
  add_whole(command, "--threads", arguments->num_threads, 0, 4096,
            "for simulations; 0: all. Never changes a result");
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
  command->add_flag("--dry-run", arguments->dry_run,
                    "check everything, print the resolved problem, run nothing");
  command->add_flag("--force", arguments->force, "replace an earlier run in the run directory");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors: no progress, no table");
  command->footer(R"(Examples:
  epsfree run lotka-volterra.toml
  epsfree run lotka-volterra.toml --seed 2 --out runs/lv-2
  epsfree run lotka-volterra.toml --set method.num_simulations=400
  epsfree run mixture.toml --observed data.csv --out runs/mine

A run that learnt with "mdn-with-prior" holds for any observation; this needs no simulations:
  epsfree run runs/amortised --observed data.csv --out runs/at-data

A run directory holds run.toml (everything resolved; running it repeats the run), posterior.json,
summary.json and, except from the method "auto", estimator.json.)");
  command->callback([arguments, &chosen] { chosen = [arguments] { run(*arguments); }; });
}

}  // namespace epsfree::cli
