#include "report/run_report.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "epsfree/version.hpp"
#include "io/number_text.hpp"
#include "io/run_files.hpp"
#include "report/report_sections.hpp"

namespace epsfree {
namespace {

/// What does not pass, the worst first.
std::vector<const Diagnosis*> complaints(const CheckRecord& check) {
  std::vector<const Diagnosis*> found;
  for (const Diagnosis& each : check.diagnoses) {
    if (each.verdict != Verdict::pass) found.push_back(&each);
  }
  std::stable_sort(found.begin(), found.end(), [](const Diagnosis* a, const Diagnosis* b) {
    return static_cast<int>(a->verdict) > static_cast<int>(b->verdict);
  });
  return found;
}

PageVerdict verdict_of(const RunContents& run) {
  PageVerdict verdict{.kind = "open", .heading = "Not checked: nothing says whether to trust it."};
  if (!run.finished() || !run.posterior) {
    static const std::map<std::string, std::string> kHeadings = {
        {"running", "Still running: there is no answer yet."},
        {"died", "Died: its process is gone. The same command goes on from what is recorded."},
        {"interrupted", "Interrupted: there is no answer yet."},
        {"stopped", "Stopped before its end: there is no answer yet."},
        {"failed", "Failed: there is no answer."}};
    const auto at = kHeadings.find(run.state);
    verdict.kind = run.state == "running" ? "open" : "fails";
    verdict.heading = run.finished()          ? "Damaged: parts of this run cannot be read."
                      : at != kHeadings.end() ? at->second
                                              : "Unfinished: there is no answer yet.";
    verdict.points = run.faults;
    return verdict;
  }
  if (run.check) {
    const std::string count = std::to_string(run.check->diagnoses.size());
    switch (run.check->verdict()) {
      case Verdict::pass:
        verdict = {"holds", "Pass: none of " + count + " checks found a reason for doubt."};
        break;
      case Verdict::warn:
        verdict = {"warns", "Warning: look at these before trusting the answer."};
        break;
      case Verdict::fail:
        verdict = {"fails", "Fail: the answer should not be trusted as it is."};
        break;
    }
    for (const Diagnosis* each : complaints(*run.check)) {
      verdict.points.push_back(each->name + ": " + each->sentence());
    }
  } else if (run.summary->kind == "combination") {
    verdict.heading = "A combination of runs: their own reports say whether to trust them.";
  } else {
    verdict.points.push_back("`epsfree check " + shell_word(run.path) + "` checks it.");
  }
  for (const std::string& fault : run.faults) verdict.points.push_back(fault);
  if (!run.faults.empty() && verdict.kind == "holds") {
    verdict.kind = "warns";
    verdict.heading = "Parts of this run cannot be read.";
  }
  return verdict;
}

std::string lead_of(const RunContents& run) {
  if (!run.summary) {
    return run.problem
               ? "The problem '" + run.problem->name + "', model " + run.problem->model + "."
               : std::string();
  }
  const RunSummary& summary = *run.summary;
  std::string text = "The posterior of " + std::to_string(summary.posterior.names.size()) +
                     (summary.posterior.names.size() == 1 ? " parameter" : " parameters") +
                     " of the model " + summary.model + ", by ";
  if (summary.kind == "combination") {
    return text + "combining " + std::to_string(summary.sources.size()) + " runs.";
  }
  text += "the method " + summary.inference.method;
  if (summary.kind == "new observation") {
    return text + ", for a new observation without new simulations.";
  }
  return text + " with " + std::to_string(summary.inference.simulations.total()) +
         " simulations in " + duration_text(summary.inference.total_seconds) + ".";
}

/// To reproduce the run, to go on with it and to use it.
std::string commands_of(const RunContents& run) {
  const std::string path = shell_word(run.path);
  const std::string file = shell_word(in_directory(run.path, kRunFile));
  std::string commands;
  if (!run.run_toml.empty()) {
    commands += "# the same again, bit for bit\nepsfree run " + file + " --out " +
                shell_word(run.path + "-again") + "\n";
  }
  if (!run.run_toml.empty() && !run.finished()) {
    commands += "# going on where it ended\nepsfree run " + file + " --out " + path + "\n";
  }
  if (run.problem && run.finished() && run.summary->kind == "inference") {
    commands += "# going on from here with twice the simulations\nepsfree run " + file + " --out " +
                path + " --set method.num_simulations=" +
                std::to_string(2 * run.problem->options.num_simulations) + "\n";
  }
  if (run.finished()) {
    commands += "# samples\nepsfree sample " + path + " -n 1000 > samples.csv\n";
  }
  if (run.finished() && run.problem) {
    commands += "# the checks again, with calibration\nepsfree check " + path + " --sbc 200\n";
  }
  return commands;
}

}  // namespace

PageSection configuration_section(const RunContents& run) {
  PageSection section{.heading = "Configuration"};
  PageTable table{.caption = "Versions", .header = {"What", "Value"}, .rows = {}};
  if (run.summary) {
    table.rows.push_back({.cells = {"epsfree that made the run", run.summary->version}});
  }
  if (run.check) {
    table.rows.push_back({.cells = {"epsfree that checked it", run.check->version}});
  }
  table.rows.push_back({.cells = {"epsfree that made this page", version()}});
  if (run.problem) {
    table.rows.push_back({.cells = {"Seed", std::to_string(run.problem->options.seed)}});
    // Memory knows where the observation came from, a run directory does not: both show the same.
    table.rows.push_back(
        {.cells = {"Observation", "as given in " + in_directory(run.path, kRunFile)}});
  }
  if (run.check)
    table.rows.push_back({.cells = {"Seed of the checks", std::to_string(run.check->seed)}});
  if (run.summary && run.summary->num_threads > 0) {
    table.rows.push_back({.cells = {"Threads", std::to_string(run.summary->num_threads)}});
  }
  if (run.summary)
    table.rows.push_back({.cells = {"SHA-256 of posterior.json", run.summary->digest}});
  section.tables.push_back(std::move(table));
  const std::string commands = commands_of(run);
  if (!commands.empty())
    section.texts.push_back(
        {.caption = "Commands, from where this page was made", .text = commands});
  if (!run.run_toml.empty()) {
    section.texts.push_back(
        {.caption = "The full configuration (run.toml)", .text = run.run_toml, .folded = true});
  }
  if (run.summary && !run.summary->inference.warnings.empty()) {
    section.notes = run.summary->inference.warnings;
  }
  return section;
}

std::string report_html(const RunContents& run) {
  const std::string name = run.summary   ? run.summary->problem
                           : run.problem ? run.problem->name
                                         : std::filesystem::path(run.path).filename().string();
  Page page{.title = name};
  page.verdict = verdict_of(run);
  const std::string lead = lead_of(run);
  if (!lead.empty()) page.lead.push_back(lead);
  const auto add = [&page](std::optional<PageSection> section) {
    if (section) page.sections.push_back(*std::move(section));
  };
  add(posterior_section(run));
  add(predictive_section(run));
  add(diagnostics_section(run));
  add(rounds_section(run));
  add(simulations_section(run));
  add(configuration_section(run));
  page.footer = std::string("Made by epsfree ") + version() + ".";
  return page_html(page);
}

}  // namespace epsfree
