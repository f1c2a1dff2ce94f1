// `epsfree show`, `sample`, `logprob` and `combine`: what to do with a finished run.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "io/csv.hpp"
#include "io/number_text.hpp"
#include "run/derived_runs.hpp"
#include "run/open_run.hpp"

namespace epsfree::cli {
namespace {

struct SampleArguments {
  std::string run;
  long count = 0;
  std::int64_t seed = 1;
};

struct LogprobArguments {
  std::string run;
  std::string thetas;
};

struct CombineArguments {
  std::vector<std::string> runs;
  std::string out;
  bool force = false;
  bool quiet = false;
};

void sample(const SampleArguments& arguments) {
  const PosteriorPtr posterior = open_posterior(arguments.run);
  Stream stream(static_cast<std::uint64_t>(arguments.seed), {.purpose = Purpose::posterior_sample});
  const Eigen::MatrixXd samples = posterior->sample(arguments.count, stream);
  write_out(csv_header(posterior->names()));
  constexpr Index kLines = 4096;  // text of a few hundred kilobytes at a time
  for (Index begin = 0; begin < samples.cols(); begin += kLines) {
    write_out(csv_lines(samples.middleCols(begin, std::min(kLines, samples.cols() - begin))));
  }
}

void logprob(const LogprobArguments& arguments) {
  const PosteriorPtr posterior = open_posterior(arguments.run);
  const bool from_input = arguments.thetas == "-";
  const std::string source = from_input ? "standard input" : arguments.thetas;
  const CsvTable table = parse_csv(from_input ? read_in() : read_file(source), source);
  const Eigen::MatrixXd thetas = match_columns(table, posterior->names(), source, "parameters");
  for (Index i = 0; i < thetas.cols() && thetas.hasNaN(); ++i) {
    for (Index d = 0; d < thetas.rows(); ++d) {
      if (!std::isnan(thetas(d, i))) continue;
      throw Error(ErrorKind::input, source + ":" +
                                        std::to_string(table.lines[static_cast<std::size_t>(i)]) +
                                        ": " + posterior->names()[static_cast<std::size_t>(d)] +
                                        " is nan, expected a number");
    }
  }
  const Eigen::VectorXd values = posterior->log_probs(thetas);
  write_out(csv_header({"log_prob"}) + csv_lines(values.transpose()));
}

void show(const std::string& run) {
  const RunSummary summary = open_summary(run);
  write_out(summary_text(summary) + "\n" + posterior_table(summary.posterior));
}

void combine(const CombineArguments& arguments) {
  const RunReport report =
      combine_runs(arguments.runs, {.out = arguments.out, .force = arguments.force});
  if (!report.warning.empty()) print_warning(report.warning);
  for (const std::string& warning : report.summary.inference.warnings) print_warning(warning);
  if (arguments.quiet) return;
  write_out(posterior_table(report.summary.posterior));
  flush_out();
  std::string text = "\n" + combination_text(*report.summary.combination) + "\nWrote\n";
  for (const std::string& file : report.files) text += "  " + file + "\n";
  write_err(text + "Next:\n  epsfree sample " + arguments.out + " -n 1000 > samples.csv\n");
}

constexpr const char* kRunHelp = "a run directory, or a posterior.json";

}  // namespace

void add_sample(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<SampleArguments>();
  CLI::App* command = app.add_subcommand("sample", "draw from a posterior: CSV with a header");
  command->add_option("RUN", arguments->run, kRunHelp)->required()->type_name("DIR");
  add_whole(command, "-n", arguments->count, 1, 1000000000, "how many samples")->required();
  add_whole(command, "--seed", arguments->seed, 0, kLargestSeed, "of the samples")
      ->default_str("1");
  command->footer(R"(Examples:
  epsfree sample runs/lotka-volterra -n 1000 > samples.csv
  epsfree sample runs/lotka-volterra -n 5 --seed 2)");
  command->callback([arguments, &chosen] { chosen = [arguments] { sample(*arguments); }; });
}

void add_logprob(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<LogprobArguments>();
  CLI::App* command =
      app.add_subcommand("logprob", "log density of a posterior at given parameters: CSV");
  command->add_option("RUN", arguments->run, kRunHelp)->required()->type_name("DIR");
  command
      ->add_option("--theta", arguments->thetas,
                   "CSV with one line per point; a header, if there is one, names the parameters; "
                   "- reads standard input")
      ->required()
      ->type_name("FILE.csv");
  command->footer(R"(Example:
  epsfree sample runs/lotka-volterra -n 100 > samples.csv
  epsfree logprob runs/lotka-volterra --theta samples.csv
  epsfree sample runs/lotka-volterra -n 100 | epsfree logprob runs/lotka-volterra --theta -)");
  command->callback([arguments, &chosen] { chosen = [arguments] { logprob(*arguments); }; });
}

void add_show(CLI::App& app, Chosen& chosen) {
  auto run = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("show", "what a run found, and what it cost");
  command->add_option("RUN", *run, "a run directory")->required()->type_name("DIR");
  command->footer(R"(Example:
  epsfree show runs/lotka-volterra)");
  command->callback([run, &chosen] { chosen = [run] { show(*run); }; });
}

void add_combine(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<CombineArguments>();
  CLI::App* command = app.add_subcommand("combine", "the posterior given the data of several runs");
  command
      ->add_option("RUN", arguments->runs,
                   "two or more run directories, of independent data and one prior")
      ->required()
      ->type_name("DIR")
      ->expected(2, 1000000);
  command->add_option("--out", arguments->out, "the directory to make")
      ->required()
      ->type_name("DIR");
  command->add_flag("--force", arguments->force, "replace an earlier run in that directory");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors, not even the table");
  command->footer(R"(Example:
  epsfree run problem.toml --observed monday.csv --out runs/monday
  epsfree run problem.toml --observed tuesday.csv --out runs/tuesday
  epsfree combine runs/monday runs/tuesday --out runs/both

The product of the posteriors is exact if it has at most 512 components. Otherwise components are
merged; the output and summary.json ("combination") then say how wrong a probability can be.)");
  command->callback([arguments, &chosen] { chosen = [arguments] { combine(*arguments); }; });
}

}  // namespace epsfree::cli
