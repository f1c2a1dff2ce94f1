// `epsfree ledger`, `epsfree export` and `epsfree import`: what a run has recorded.
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "run/ledger_export.hpp"
#include "run/ledger_import.hpp"
#include "run/ledger_report.hpp"

namespace epsfree::cli {
namespace {

struct LedgerArguments {
  std::string run;
  bool json = false;
};

struct ExportArguments {
  std::string run;
  std::string format = "csv";
  std::string out;
};

std::string group_table(const LedgerReport& report) {
  std::vector<std::vector<std::string>> rows = {{"purpose", "replicate", "round", "drawn from",
                                                 "simulations", "ok", "invalid", "failed",
                                                 "timeout", "lost", "attempts", "seconds"}};
  for (const LedgerGroup& group : report.groups) {
    std::vector<std::string> row = {purpose_name(group.purpose), std::to_string(group.replicate),
                                    std::to_string(group.round), to_string(group.drawn_from),
                                    std::to_string(group.total())};
    for (const long count : group.counts) row.push_back(std::to_string(count));
    row.push_back(std::to_string(group.num_attempts));
    row.push_back(short_number(group.seconds));
    rows.push_back(std::move(row));
  }
  return aligned(rows);
}

void show_ledger(const LedgerArguments& arguments) {
  const LedgerReport report = report_ledger(arguments.run);
  if (arguments.json) return write_out(ledger_json(report));
  long total = 0;
  for (const LedgerGroup& group : report.groups) total += group.total();
  std::string text = "ledger       " + report.path + "\n";
  if (!report.problem.empty()) text += "problem      " + report.problem + "\n";
  text += "simulations  " + std::to_string(total) + "\n";
  text += "training     " + std::to_string(report.num_values) + " results kept\n";
  text += "digest       " + report.digest + "\n";
  if (total > 0) text += "\n" + group_table(report);
  for (const LedgerFailure& failure : report.failures) {
    text += "\n" + std::to_string(failure.count) + " " + to_string(failure.status) +
            ", the first in round " + std::to_string(failure.first.round) + " with index " +
            std::to_string(failure.first.index) +
            (failure.message.empty() ? ", said nothing" : ": " + failure.message);
  }
  if (!report.failures.empty()) text += "\n";
  write_out(text);
}

void export_run(const ExportArguments& arguments) {
  const ExportFormat format = export_format(arguments.format);
  if (arguments.out.empty()) {
    export_simulations(arguments.run, format, [](std::string_view text) { write_out(text); });
    return;
  }
  check_output_file(arguments.out);
  std::string content;
  const long count =
      export_simulations(arguments.run, format, [&](std::string_view text) { content += text; });
  write_file_atomically(arguments.out, content);
  write_err("Wrote " + std::to_string(count) + " simulations to " + arguments.out + "\n");
}

struct ImportArguments {
  ImportSettings settings;
  std::string proposal;
};

void import_file(const ImportArguments& arguments) {
  const long count = import_simulations(arguments.settings);
  write_err("Took " + std::to_string(count) + " simulations into " + arguments.settings.run + "\n");
}

}  // namespace

void add_import(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command =
      app.add_subcommand("import", "take simulations made elsewhere into a run directory");
  command->add_option("RUN", arguments->settings.run, "a run directory, or a new one to make")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("FILE", arguments->settings.file,
                   "CSV with a header: theta:NAME and x:NAME for each parameter and statistic, "
                   "status if some are not ok, drawn_from as `epsfree export` writes it")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--proposal", arguments->proposal,
                   "where the parameters were drawn from: prior, the only one so far")
      ->required()
      ->type_name("NAME")
      ->check(CLI::IsMember({"prior"}));
  command->add_option("--problem", arguments->settings.problem, "of a new run directory")
      ->type_name("FILE");
  command->footer(R"(Example:
  epsfree import runs/cluster simulations.csv --proposal prior --problem queue.toml

A problem file with the method "mdn-with-prior" and
  [reuse]
  runs = ["runs/cluster", "runs/other"]
trains on the simulations of these runs that came from the prior, besides its own.)");
  command->callback([arguments, &chosen] { chosen = [arguments] { import_file(*arguments); }; });
}

void add_ledger(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<LedgerArguments>();
  CLI::App* command = app.add_subcommand("ledger", "show which simulations a run has recorded");
  command->add_option("RUN", arguments->run, "a run directory, finished or not")
      ->required()
      ->type_name("DIR");
  command->add_flag("--json", arguments->json, "for programs: see docs/formats.md");
  command->footer(R"(Example:
  epsfree ledger runs/lotka-volterra

While a run is at work on it, its ledger is closed to others; status.json says how far it is.)");
  command->callback([arguments, &chosen] { chosen = [arguments] { show_ledger(*arguments); }; });
}

void add_export(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "write a run's simulations for other programs");
  command->add_option("RUN", arguments->run, "a run directory, finished or not")
      ->required()
      ->type_name("DIR");
  command->add_option("--format", arguments->format, "csv, npy (a NumPy array of records) or json")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "the file to write [standard output]")
      ->type_name("FILE");
  command->footer(R"(Examples:
  epsfree export runs/lotka-volterra > simulations.csv
  epsfree export runs/lotka-volterra --format npy --out simulations.npy
  python3 -c 'import numpy; a = numpy.load("simulations.npy"); print(a["theta"], a["x"])')");
  command->callback([arguments, &chosen] { chosen = [arguments] { export_run(*arguments); }; });
}

}  // namespace epsfree::cli
