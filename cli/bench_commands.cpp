// `epsfree bench`: how good the answers are, and how fast they come.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "bench/accuracy_benchmark.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress_bar.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "epsfree/models.hpp"
#include "problem/paper_budget.hpp"

namespace epsfree::cli {
namespace {

struct AccuracyArguments {
  std::string model;
  std::optional<std::string> method;
  std::string seeds, observations;
  std::string budget = "100%";
  std::string reference;
  std::vector<std::string> assignments;
  int num_threads = 0;
  std::string json;
  bool verbose = false;
};

SeedRange parse_range(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMostSeeds = 1000000;
  const std::size_t dots = text.find("..");
  const auto fail = [&](const std::string& expected) {
    throw Error(ErrorKind::usage, option + ": expected " + expected + ", got '" + text + "'");
  };
  if (dots == std::string::npos) fail("a range A..B, such as 1..20");
  const std::int64_t first = parse_whole(option, text.substr(0, dots), 0, kLargestSeed);
  const std::int64_t last = parse_whole(option, text.substr(dots + 2), 0, kLargestSeed);
  if (last < first) fail("A..B with A up to B");
  if (last - first >= kMostSeeds) fail("at most " + std::to_string(kMostSeeds) + " of them");
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)};
}

// "4000", or "10%" of what the authors spend.
Index parse_budget(const std::string& text, const std::string& model_name) {
  if (text.empty() || text.back() != '%') return parse_whole("--budget", text, 1, 1000000000);
  const std::int64_t percent = parse_whole("--budget", text.substr(0, text.size() - 1), 1, 1000000);
  return (paper_budget(model_name) * percent + 50) / 100;
}

std::string record_line(const SeedRecord& record) {
  std::string line = "  seed " + padded(std::to_string(record.seed), 6);
  if (!record.error.empty()) return line + "  error: " + record.error + "\n";
  if (!std::isnan(record.score)) line += formatted("  score %9.4f", record.score);
  line += "  " + std::to_string(record.num_simulations) + " simulations";
  line += formatted("  %.3f s", record.cpu_seconds);
  line += "  correction: " + record.correction;
  if (record.ranks.size() > 0) {
    line += "  ranks:";
    for (const int rank : record.ranks) line += " " + std::to_string(rank);
  }
  return line + (record.failed ? "  FAILED\n" : "\n");
}

// A bar on a terminal; with --verbose the seeds' lines, in their order.
class AccuracyProgress final : public AccuracyListener {
 public:
  AccuracyProgress(std::string name, std::size_t total, bool verbose)
      : name_(std::move(name)), lines_(total), verbose_(verbose), bar_shown_(stderr_is_terminal()) {
    if (bar_shown_) bar_.draw(name_, 0, static_cast<long>(total), "");
  }

  void on_seed(std::size_t index, const SeedRecord& record) override {
    if (record.failed) ++failed_;
    ++done_;
    if (verbose_) {
      lines_[index] = record_line(record);
      if (!lines_[printed_].empty()) bar_.clear();
      while (printed_ < lines_.size() && !lines_[printed_].empty()) write_out(lines_[printed_++]);
      flush_out();
    }
    if (bar_shown_) {
      bar_.draw(name_, done_, static_cast<long>(lines_.size()),
                failed_ > 0 ? std::to_string(failed_) + " failed" : "");
    }
  }
  bool stop() override { return interrupted(); }

 private:
  std::string name_;
  std::vector<std::string> lines_;
  std::size_t printed_ = 0;
  long done_ = 0, failed_ = 0;
  bool verbose_;
  bool bar_shown_;
  ProgressBar bar_;
};

std::vector<AccuracyPlan> plans_of(const AccuracyArguments& arguments) {
  if (arguments.seeds.empty() == arguments.observations.empty()) {
    throw Error(ErrorKind::usage,
                "bench accuracy: expected either --seeds A..B or "
                "--observations A..B");
  }
  std::vector<std::string> names = {arguments.model};
  if (arguments.model == "all") {
    names.clear();
    for (const auto& each : models()) names.push_back(each->name());
    std::error_code ignored;
    if (!arguments.reference.empty() &&
        !std::filesystem::is_directory(arguments.reference, ignored)) {
      throw Error(ErrorKind::usage,
                  "--reference '" + arguments.reference +
                      "': expected a directory with --model all, of files such as "
                      "lotka_volterra_posterior.csv");
    }
  }
  AccuracySettings settings;
  if (arguments.method) settings.method = parse_method(*arguments.method);
  settings.reference = arguments.reference;
  settings.assignments = arguments.assignments;
  const bool drawn = !arguments.observations.empty();
  settings.mode = drawn ? AccuracyMode::observations : AccuracyMode::seeds;
  settings.seeds = drawn ? parse_range("--observations", arguments.observations)
                         : parse_range("--seeds", arguments.seeds);
  std::vector<AccuracyPlan> plans;
  for (const std::string& name : names) {
    settings.model = model(name)->name();
    settings.budget = parse_budget(arguments.budget, name);
    plans.push_back(plan_accuracy(settings));
  }
  return plans;
}

std::string score_text(double value) { return std::isnan(value) ? "-" : formatted("%.4f", value); }

std::string table_of(const std::vector<AccuracyReport>& reports) {
  std::vector<std::vector<std::string>> rows = {
      {"model", "method", "seeds", "budget", "used", "most used", "score", "mean", "std error",
       "median", "best", "worst", "failed", "seconds", "longest"}};
  for (const AccuracyReport& report : reports) {
    const AccuracySummary& summary = report.summary;
    rows.push_back({report.plan.spec.model, method_name(report.plan.spec.options.method),
                    std::to_string(summary.num_seeds), std::to_string(report.plan.budget),
                    formatted("%.0f", summary.mean_simulations),
                    std::to_string(summary.max_simulations), to_string(report.plan.score),
                    score_text(summary.mean), score_text(summary.standard_error),
                    score_text(summary.median), score_text(summary.best), score_text(summary.worst),
                    std::to_string(summary.num_failed), formatted("%.3f", summary.mean_cpu_seconds),
                    formatted("%.3f", summary.max_cpu_seconds)});
  }
  return aligned(rows);
}

std::string notes_of(const AccuracyReport& report) {
  const AccuracySummary& summary = report.summary;
  std::string text = report.plan.spec.model + ": corrections";
  const char* separator = " ";
  for (const auto& [name, count] : summary.corrections) {
    text += separator + std::to_string(count) + " x " + name;
    separator = "; ";
  }
  if (summary.corrections.empty()) text += " none: no inference ended";
  if (report.plan.failed_above) {
    text += ". Failed: a score above " + short_number(*report.plan.failed_above) + ", or an error";
  }
  text += "\n";
  if (summary.num_errors > 0) {
    text += report.plan.spec.model + ": " + std::to_string(summary.num_errors) +
            (summary.num_errors == 1 ? " error: " : " errors, the first: ") + summary.first_error +
            "\n";
  }
  return text;
}

std::string rank_table(const std::vector<AccuracyReport>& reports) {
  std::vector<std::vector<std::string>> rows = {{"model", "parameter", "p-value"}};
  std::string verdicts;
  for (const AccuracyReport& report : reports) {
    if (!report.summary.ranks) return "";
    const RankTest& test = *report.summary.ranks;
    const std::string& model_name = report.plan.spec.model;
    for (Index d = 0; d < test.p_values.size(); ++d) {
      rows.push_back({model_name, report.plan.spec.problem.names[static_cast<std::size_t>(d)],
                      short_number(test.p_values[d])});
    }
    const std::size_t ranked = report.summary.num_seeds - report.summary.num_errors;
    verdicts += model_name + ": ranks of " + std::to_string(ranked) +
                " observations, overall p = " + short_number(test.overall_p) +
                (test.overall_p >= kRankLevel ? ": passed" : ": FAILED") + " at a level of 1%\n";
  }
  return "\nUniformity of the true parameters' ranks among " + std::to_string(kRankSamples) +
         " posterior samples (Kolmogorov-Smirnov)\n" + aligned(rows) + verdicts;
}

void accuracy(const AccuracyArguments& arguments) {
  check_output_file(arguments.json);
  catch_interrupts();
  const std::vector<AccuracyPlan> plans = plans_of(arguments);
  std::vector<AccuracyReport> reports;
  for (const AccuracyPlan& plan : plans) {
    if (arguments.verbose) {
      write_out(plan.spec.model + "\n");
      flush_out();
    }
    AccuracyProgress progress(padded(plan.spec.model, 17), plan.seeds.size(), arguments.verbose);
    reports.push_back(run_accuracy(plan, arguments.num_threads, &progress));
  }
  std::string text = table_of(reports);
  for (const AccuracyReport& report : reports) text += notes_of(report);
  write_out(text + rank_table(reports));
  flush_out();
  if (!arguments.json.empty()) write_file_atomically(arguments.json, accuracy_json(reports));
}

void add_accuracy(CLI::App& bench, Chosen& chosen) {
  auto arguments = std::make_shared<AccuracyArguments>();
  CLI::App* command = bench.add_subcommand(
      "accuracy", "whole inferences over many seeds, scored against the true posterior");
  command->add_option("--model", arguments->model, "a built-in model, or all")
      ->required()
      ->type_name("MODEL");
  command->add_option("--method", arguments->method, "as in problem files; default: the default")
      ->type_name("METHOD");
  command->add_option("--seeds", arguments->seeds, "infer from the paper's observation with each")
      ->type_name("A..B");
  command
      ->add_option("--observations", arguments->observations,
                   "instead: draw an observation with each seed, and test the true parameters' "
                   "ranks for uniformity")
      ->type_name("A..B");
  command
      ->add_option("--budget", arguments->budget,
                   "calls of the simulator in each inference, or a percentage of the paper's")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--reference", arguments->reference,
                   "CSV of samples of the true posterior, to score by cross-entropy; or a "
                   "directory with MODEL_posterior.csv")
      ->type_name("FILE");
  command
      ->add_option("--set", arguments->assignments,
                   "change a key of [method]; may be given several times")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  add_whole(command, "--threads", arguments->num_threads, 0, 4096,
            "inferences side by side; 0: all. Never changes a score");
  command->add_option("--json", arguments->json, "write every seed's record there")
      ->type_name("FILE");
  command->add_flag("--verbose", arguments->verbose, "print one line per seed");
  command->footer(R"(Examples:
  epsfree bench accuracy --model linear-regression --seeds 1..20 --budget 2800
  epsfree bench accuracy --model mg1-queue --seeds 1..20 --budget 10% --reference samples.csv
  epsfree bench accuracy --model mixture --observations 1..200 --json ranks.json)");
  command->callback([arguments, &chosen] { chosen = [arguments] { accuracy(*arguments); }; });
}

}  // namespace

void add_bench(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("bench", "measure how good and how fast epsfree is");
  command->require_subcommand(1);
  command->footer(R"(Example:
  epsfree bench accuracy --model linear-regression --seeds 1..20
  epsfree bench speed)");
  add_accuracy(*command, chosen);
  add_bench_speed(*command, chosen);
}

}  // namespace epsfree::cli
