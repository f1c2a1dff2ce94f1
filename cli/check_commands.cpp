// `epsfree check` and `report`: whether a run's answer can be trusted.
#include <memory>
#include <string>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "run/report_file.hpp"
#include "run/run_check.hpp"

namespace epsfree::cli {
namespace {

struct CheckArguments {
  std::string run;
  CheckSettings settings;
  bool json = false;
  bool quiet = false;
};

struct ReportArguments {
  std::string run;
  std::string out;
  bool no_check = false;
  bool trust = false;
  bool quiet = false;
};

/// Simulations fill a bar, then repetitions of the inference; elsewhere than on a terminal every
/// tenth part of these is a line.
class CheckProgress final : public CheckListener {
 public:
  explicit CheckProgress(bool quiet)
      : quiet_(quiet),
        simulations_(quiet || !stderr_is_terminal() ? ProgressStyle::none : ProgressStyle::bar) {}

  Observer* observer() override { return &simulations_; }
  void on_repetition(long done, long total, const CalibrationRecord& record) override {
    if (!record.error.empty()) ++num_failed_;
    if (quiet_) return;
    const std::string note =
        num_failed_ > 0 ? std::to_string(num_failed_) + " without a posterior" : std::string();
    if (stderr_is_terminal()) {
      bar_.draw("calibrating", done, total, note);
    } else if (done * 10 / total != (done - 1) * 10 / total) {
      write_err("calibrating: " + std::to_string(done) + " of " + std::to_string(total) +
                " inferences" + (note.empty() ? "" : ", " + note) + "\n");
    }
  }
  bool stop() override { return interrupted(); }
  void end() { bar_.clear(); }

 private:
  bool quiet_;
  Progress simulations_;
  ProgressBar bar_;
  long num_failed_ = 0;
};

RunContents checked(const std::string& run, const CheckSettings& settings, bool quiet) {
  catch_interrupts();
  CheckProgress progress(quiet);
  try {
    RunContents contents = check_run(run, settings, &progress);
    progress.end();
    return contents;
  } catch (const Error& error) {
    progress.end();
    if (error.kind() != ErrorKind::interrupted) throw;
    throw Error(ErrorKind::interrupted, "interrupted; what is finished is kept in '" + run +
                                            "': the same command goes on from there");
  }
}

void check(const CheckArguments& arguments) {
  const RunContents run = checked(arguments.run, arguments.settings, arguments.quiet);
  const CheckRecord& record = *run.check;
  const std::string page = write_report(run);
  if (arguments.json) {
    write_out(check_json(record));
  } else if (!arguments.quiet) {
    write_out(check_text(record));
  }
  flush_out();
  if (!arguments.quiet) write_err("\nSee " + page + "\n");
  end_as(record.verdict());
}

void report(const ReportArguments& arguments) {
  check_output_file(arguments.out);
  RunContents run = read_run(arguments.run);
  const bool can_be_checked = run.finished() && run.posterior && run.problem;
  if (!arguments.no_check && can_be_checked && !run.check) {
    try {
      run = checked(arguments.run, {.trust = arguments.trust}, arguments.quiet);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted) throw;
      print_warning("the answer could not be checked: " + std::string(error.what()));
    }
  }
  const std::string page = write_report(run, arguments.out);
  for (const std::string& fault : run.faults) print_warning(fault);
  if (!arguments.quiet) write_out(page + "\n");
}

}  // namespace

void add_check(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<CheckArguments>();
  CheckSettings& settings = arguments->settings;
  CLI::App* command =
      app.add_subcommand("check", "say whether the answer of a run can be trusted, and why");
  command->add_option("RUN", arguments->run, "the directory of a finished run")
      ->required()
      ->type_name("DIR");
  add_whole(command, "--sbc", settings.num_repetitions, 0, 10'000'000,
            "repeat the whole inference for so many simulated observations, and see whether the "
            "posteriors are right on average; at least 10, 200 say most [0]");
  add_whole(command, "--simulations", settings.num_simulations, 0, 10'000'000,
            "from the posterior, and as many from the prior [a tenth of the run's, 50 to 1000]");
  add_whole(command, "--seed", settings.seed, 0, kLargestSeed, "of the checks [1]");
  add_whole(command, "--threads", settings.num_threads, 0, 4096,
            "for simulations and repetitions; 0: all. Never changes a result");
  command->add_flag("--trust", settings.trust,
                    "run the simulator even if the run directory may come from someone else");
  command->add_flag("--json", arguments->json, "print check.json instead of the table");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors: the exit code tells");
  command->footer(R"(Examples:
  epsfree check runs/lotka-volterra
  epsfree check runs/lotka-volterra --sbc 200
  epsfree check runs/lotka-volterra --quiet && echo trusted

Writes check.json and report.html into the run directory. Interrupted, the same command goes on.
Exit codes: 0 pass, 3 a warning, 4 a failure.)");
  command->callback([arguments, &chosen] { chosen = [arguments] { check(*arguments); }; });
}

void add_report(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      app.add_subcommand("report",
                         "write a page for the browser: what a run found, and whether "
                         "to trust it");
  command->add_option("RUN", arguments->run, "a run directory, finished or not")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", arguments->out, "the file to write [report.html in the directory]")
      ->type_name("FILE");
  command->add_flag("--no-check", arguments->no_check,
                    "do not check an answer that has not been checked: simulate nothing");
  command->add_flag("--trust", arguments->trust,
                    "run the simulator even if the run directory may come from someone else");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors and warnings");
  command->footer(R"(Examples:
  epsfree report runs/lotka-volterra
  epsfree report runs/lotka-volterra --out lotka-volterra.html

The page is one file that needs no network. Of a run that is unfinished or damaged it shows what
there is.)");
  command->callback([arguments, &chosen] { chosen = [arguments] { report(*arguments); }; });
}

}  // namespace epsfree::cli
