// `epsfree paper`: the paper's figures and claims from one command.
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress_bar.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "paper/paper_study.hpp"

namespace epsfree::cli {
namespace {

struct PaperArguments {
  std::vector<std::string> models;
  PaperSettings settings;
};

/// A bar on a terminal, a line a part elsewhere.
class PaperProgress final : public PaperListener {
 public:
  PaperProgress() : bar_shown_(stderr_is_terminal()) {}

  void on_stage(const std::string& what) override {
    if (bar_shown_) {
      bar_.clear();
      bar_.draw(what, 0, 1, "");
    } else if (what.rfind("drawing", 0) != 0) {
      write_out(what + "\n");
      flush_out();
    }
  }
  void on_part(std::size_t done, std::size_t total, double share, const PaperPart& part,
               const PaperRecord& record) override {
    const std::string count = std::to_string(done) + " of " + std::to_string(total);
    const std::string end = record.ok() ? formatted("%.1f s", record.seconds) : "no answer";
    if (bar_shown_) {
      bar_.draw(padded(count + " inferences", 24), static_cast<long>(1000 * share), 1000,
                part.describe());
    } else {
      write_out(count + ": " + part.describe() + ": " + end + "\n");
      flush_out();
    }
  }
  bool stop() override { return interrupted(); }
  void end() { bar_.clear(); }

 private:
  bool bar_shown_;
  ProgressBar bar_;
};

std::vector<std::string> chosen_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == "all" && names.size() > 1) {
      throw Error(ErrorKind::usage, "paper: 'all' does not go with other models");
    }
  }
  return names == std::vector<std::string>{"all"} ? std::vector<std::string>() : names;
}

void paper(PaperArguments& arguments) {
  catch_interrupts();
  arguments.settings.models = chosen_names(arguments.models);
  PaperProgress progress;
  const PaperReport report = [&] {
    try {
      return run_paper(arguments.settings, &progress);
    } catch (const Error& error) {
      progress.end();
      if (error.kind() != ErrorKind::interrupted) throw;
      throw Error(ErrorKind::interrupted, "interrupted; what is finished is kept in '" +
                                              arguments.settings.out +
                                              "': the same command goes on from there");
    }
  }();
  progress.end();
  std::string text;
  for (const PaperClaim& claim : report.claims) {
    const char* verdict = !claim.holds ? "not measured" : *claim.holds ? "holds" : "does not hold";
    const std::string number = std::to_string(claim.number);
    text += std::string(number.size() < 2 ? " " : "") + number + "  " + padded(verdict, 13) + "  " +
            claim.claim + "\n";
  }
  if (report.num_remembered > 0) {
    text += std::to_string(report.num_remembered) + " of " +
            std::to_string(report.results.parts.size()) +
            " inferences were there from an earlier call.\n";
  }
  if (!report.without_pdf.empty()) {
    text += report.without_pdf + " The same command then adds them, without new inferences.\n";
  }
  write_out(text + "Open " + report.files.front() + "\n");
  flush_out();
}

}  // namespace

void add_paper(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<PaperArguments>();
  PaperSettings& settings = arguments->settings;
  CLI::App* command = app.add_subcommand(
      "paper", "make every figure of the paper, and say which of its claims hold");
  command
      ->add_option("models", arguments->models,
                   "mixture, linear-regression, lotka-volterra, mg1-queue or all [all]")
      ->type_name("MODEL");
  command->add_flag(
      "--full", settings.scale.full,
      "with the authors' settings, about an hour on two cores; without, a quick form of "
      "5 minutes");
  add_whole(command, "--seed", settings.scale.seed, 0, kLargestSeed, "of the first repetition [1]");
  command
      ->add_option("--out", settings.out,
                   "directory for figures.html, claims.json and the figures; what an earlier call "
                   "left there is not computed again")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--reference", settings.reference,
                   "directory of MODEL_posterior.csv, samples of the true posteriors of "
                   "lotka-volterra and mg1-queue [made by long runs of ABC]")
      ->type_name("DIR");
  add_whole(command, "--threads", settings.num_threads, 0, 4096,
            "inferences side by side; 0: all. Never changes a figure");
  command->footer(R"(Examples:
  epsfree paper all --out figures
  epsfree paper mixture linear-regression --seed 7 --out figures)");
  command->callback([arguments, &chosen] { chosen = [arguments] { paper(*arguments); }; });
}

}  // namespace epsfree::cli
