#include "run/resumable_run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "epsfree/version.hpp"
#include "infer/abc/abc_methods.hpp"
#include "io/run_summary.hpp"
#include "run/open_run.hpp"
#include "run/run_directory.hpp"
#include "run/run_identity.hpp"

namespace epsfree {
namespace fs = std::filesystem;
namespace {

// Names of the ledger's notes.
constexpr const char* kProblemNote = "problem";
constexpr const char* kVersionNote = "epsfree_version";
constexpr const char* kGrownNote = "grown";
constexpr const char* kSimulatorNote = "simulator";
constexpr const char* kMixedNote = "mixed_simulators";
// Present while the results no longer agree with the ledger.
constexpr const char* kPendingNote = "pending";

std::string inside(const std::string& path, const std::string& name) {
  return (fs::path(path) / name).string();
}

bool has(const std::string& path, const char* name) {
  std::error_code ignored;
  return fs::exists(inside(path, name), ignored);
}

/// What an earlier run left in a directory.
struct EarlierRun {
  /// The resolved problem that it is about, as TOML; the ledger knows of a budget that has grown
  /// before run.toml does.
  std::optional<std::string> problem;
  /// Whether failed simulations are being run again, so that the results are out of date.
  bool is_pending = false;
  /// Nothing was simulated or trained, so that nothing is lost by starting over.
  bool is_empty = true;
};

EarlierRun look_at(const std::string& path) {
  EarlierRun found;
  if (has(path, kLedgerFile)) {
    try {
      Ledger ledger(inside(path, kLedgerFile), Ledger::Access::read);
      found.problem = ledger.note(kProblemNote);
      found.is_pending = !ledger.note(kPendingNote).value_or("").empty();
      found.is_empty = ledger.num_simulations() == 0 && ledger.num_values() == 0;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      found.is_empty = false;  // damaged: it is mended when it is opened
    }
  }
  if (has(path, kSummaryFile)) found.is_empty = false;
  if (!found.problem && has(path, kRunFile)) found.problem = read_file(inside(path, kRunFile));
  return found;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::usage, "'" + path + "' exists already" + why +
                                    "; use --force to replace it or --out to write elsewhere");
}

/// The budgets that the earlier run has had, if they are not told and are smaller than this one.
void adopt_budgets(const InferOptions& before, InferOptions& now) {
  auto* const own = std::get_if<AutoOptions>(&now.method);
  const auto* const old = std::get_if<AutoOptions>(&before.method);
  if (own == nullptr || old == nullptr || !own->earlier_budgets.empty()) return;
  std::vector<long>& earlier = own->earlier_budgets;
  earlier = old->earlier_budgets;
  earlier.push_back(before.num_simulations);
  std::erase_if(earlier, [&](long each) { return each >= now.num_simulations; });
}

/// Whether run.toml is of this problem, whose text in the ledger is `noted`. One that cannot be
/// read is not: it is written again at the end.
bool run_file_agrees(const std::string& path, const std::string& noted, const ProblemSpec& spec) {
  if (!has(path, kRunFile)) return false;
  const std::string file = inside(path, kRunFile);
  const std::string text = read_file(file);
  if (text == noted) return true;
  try {
    return compare_identity(parse_run_problem(text, file), spec).same();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<SimulatorChange> changed_simulator(Ledger& ledger, const SimulatorSpec& spec) {
  const auto before = ledger.note(kSimulatorNote);
  if (!before) return {};
  return SimulatorFingerprint::of(spec).changes_since(
      SimulatorFingerprint::from_text(*before, ledger.path()));
}

std::vector<SimulatorChange> changed_simulator(const std::string& path, const SimulatorSpec& spec) {
  try {
    if (!has(path, kLedgerFile)) return {};
    Ledger ledger(inside(path, kLedgerFile), Ledger::Access::read);
    return changed_simulator(ledger, spec);
  } catch (const Error&) {
    return {};
  }
}

RunState inspect_run(const std::string& path, bool force, ProblemSpec& spec) {
  if (!check_run_directory(path)) return RunState::fresh;
  const EarlierRun earlier = look_at(path);  // throws where a run is at work there
  if (force) return RunState::fresh;
  if (!earlier.problem) {
    if (earlier.is_empty && !has(path, kPosteriorFile)) return RunState::fresh;
    refuse(path, "");
  }
  if (has(path, kSummaryFile)) {
    const std::string summary = inside(path, kSummaryFile);
    if (parse_summary(read_file(summary), summary).kind != "inference") refuse(path, "");
  }
  std::optional<ProblemSpec> before;
  try {
    before = parse_run_problem(*earlier.problem, inside(path, kRunFile));
  } catch (const Error& error) {
    if (earlier.is_empty) return RunState::fresh;
    refuse(path, ", and its problem cannot be read (" + std::string(error.what()) + ")");
  }
  // With a budget that is not larger there is nothing to adopt but what the run itself adopted.
  ProblemSpec adopted = spec;
  adopt_budgets(before->options, adopted.options);
  IdentityComparison comparison = compare_identity(*before, adopted);
  std::erase_if(comparison.differences, [&](const IdentityDifference& each) {
    return each.key == "method.auto.earlier_budgets" && !comparison.grown.empty();
  });
  if (!comparison.differences.empty()) {
    if (earlier.is_empty) return RunState::fresh;
    refuse(path, " and is another run: " + comparison.describe());
  }
  spec = adopted;
  if (!comparison.grown.empty()) return RunState::grown;
  const bool published = has(path, kSummaryFile) && !earlier.is_pending &&
                         run_file_agrees(path, *earlier.problem, spec);
  return published ? RunState::finished : RunState::unfinished;
}

ResumableRun::ResumableRun(const std::string& path, RunState state, const ProblemSpec& spec,
                           const ResumeSettings& settings)
    : path_(path),
      run_toml_(resolved_toml(spec)),
      simulator_(SimulatorFingerprint::of(spec.simulator)),
      is_fresh_(state == RunState::fresh) {
  try {
    open(state, settings);
  } catch (...) {
    if (is_fresh_) {
      ledger_.reset();
      clear_run_directory(path);
    }
    throw;
  }
}

void ResumableRun::open(RunState state, const ResumeSettings& settings) {
  if (is_fresh_) {
    clear_run_directory(path_);
    make_run_directory(path_);
    write_file_atomically(file(kRunFile), run_toml_);
  } else {
    remove_temporaries(path_);
  }
  ledger_ = std::make_unique<Ledger>(file(kLedgerFile));
  check_simulator(simulator_, settings.keep_simulations);
  if (settings.retry_failed) forget_failed();
  if (state == RunState::grown) {
    ledger_->set_note(kGrownNote, "true");
  }
  if (is_fresh_ || state == RunState::grown || !ledger_->note(kProblemNote)) {
    ledger_->set_note(kProblemNote, run_toml_);
    ledger_->set_note(kVersionNote, version());
    ledger_->commit();
  }
  has_grown_ = ledger_->note(kGrownNote).has_value();
}

void ResumableRun::check_simulator(const SimulatorFingerprint& now, bool keep_simulations) {
  const auto before = ledger_->note(kSimulatorNote);
  if (before == now.text()) return;
  if (before && has_progress()) {
    const std::vector<SimulatorChange> changes =
        now.changes_since(SimulatorFingerprint::from_text(*before, ledger_->path()));
    const std::string count = std::to_string(ledger_->num_simulations());
    if (!changes.empty() && !keep_simulations) {
      throw Error(ErrorKind::usage,
                  "the simulator has changed since '" + path_ + "' recorded " + count +
                      " simulations: " + describe(changes) +
                      ". To start over with the new simulator, use --force. To continue with "
                      "simulations of both versions, use --keep-simulations; add --retry-failed "
                      "to run the failed ones again");
    }
    if (!changes.empty()) {
      ledger_->set_note(kMixedNote,
                        count + " simulations were recorded before the simulator changed (" +
                            describe(changes) +
                            "). --keep-simulations kept them, so the answer mixes simulations of "
                            "both versions");
    }
  }
  ledger_->set_note(kSimulatorNote, now.text());
  ledger_->commit();
}

void ResumableRun::forget_outputs(const SimulatorSpec& spec) {
  const SimulatorFingerprint kept = simulator_.without_outputs(SimulatorFingerprint::of(spec));
  if (kept.parts().size() == simulator_.parts().size()) return;
  ledger_->set_note(kSimulatorNote, kept.text());
  ledger_->commit();
}

/// Later rounds depend on earlier ones, so their recorded simulations may no longer be the ones
/// that the run needs.
void ResumableRun::forget_failed() {
  num_retried_ = ledger_->erase_faults();
  if (num_retried_ > 0) {
    ledger_->set_note(kGrownNote, "true");
    ledger_->set_note(kPendingNote, "failed simulations are made again");
  }
  ledger_->erase(kRejectionStreamState);
  ledger_->commit();
  if (has(path_, kCheckLedgerFile)) Ledger(file(kCheckLedgerFile)).erase_faults();
}

std::string ResumableRun::mixed_simulators() { return ledger_->note(kMixedNote).value_or(""); }

ResumableRun::~ResumableRun() {
  if (!is_fresh_ || has_results_ || !ledger_) return;
  try {
    if (has_progress()) return;
    ledger_.reset();
    clear_run_directory(path_);
  } catch (const std::exception&) {
    // It cannot be looked at: then it is better left alone.
  }
}

std::string ResumableRun::file(const std::string& name) const { return inside(path_, name); }

bool ResumableRun::has_progress() {
  return ledger_->num_simulations() > 0 || ledger_->num_values() > 0;
}

void ResumableRun::begin_results() {
  has_results_ = true;
  std::error_code error;
  // The summary first: what is half replaced must not look finished.
  for (const char* name : {kSummaryFile, kCheckFile, kReportFile}) {
    fs::remove(file(name), error);
    if (error) {
      throw Error(ErrorKind::io, "cannot replace '" + file(name) + "': " + error.message());
    }
  }
}

void ResumableRun::end_results() {
  if (ledger_->note(kPendingNote).value_or("").empty()) return;
  ledger_->set_note(kPendingNote, "");
  ledger_->commit();
}

}  // namespace epsfree
