// A run directory at work: what an earlier run left there, and where this one puts its results.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "epsfree/ledger.hpp"
#include "problem/problem_file.hpp"
#include "run/simulator_fingerprint.hpp"

namespace epsfree {

/// What stands in a run directory, seen from a problem that is to be run there.
enum class RunState {
  fresh,       ///< nothing, or what --force has removed
  unfinished,  ///< the same problem, begun
  finished,    ///< the same problem, done
  grown,       ///< the same problem with a smaller budget, begun or done
};

/// What to do with the work of an earlier run in the same directory.
struct ResumeSettings {
  bool force = false;  ///< start over
  /// Run recorded simulations that failed again, and everything that depends on them.
  bool retry_failed = false;
  /// Continue with the recorded simulations even if the simulator has changed.
  bool keep_simulations = false;
};

/// Looks and changes nothing. Takes earlier budgets into the problem where the default method has
/// spent some. Throws ErrorKind::usage if something else stands there (with the keys that differ),
/// ErrorKind::io if the place cannot be looked at.
RunState inspect_run(const std::string& path, bool force, ProblemSpec& spec);

/// The parts of the simulator that have changed since a run's simulations were recorded. Empty if
/// the ledger does not hold them: before version 0.2 no ledger did.
std::vector<SimulatorChange> changed_simulator(Ledger& ledger, const SimulatorSpec& spec);
/// The same for a run directory; nothing where its ledger cannot be read.
std::vector<SimulatorChange> changed_simulator(const std::string& path, const SimulatorSpec& spec);

/// A run at work in its directory, which holds run.toml, ledger.sqlite and status.json from the
/// start; results appear at the end, each by a rename, summary.json last: a directory with one is a
/// finished run.
class ResumableRun {
 public:
  /// Makes the directory, or takes up what is there. The state must be that of inspect_run, and
  /// `finished` only where failed simulations are to be made again. Throws ErrorKind::usage if the
  /// simulator has changed since simulations were recorded, unless they are to be kept.
  ResumableRun(const std::string& path, RunState state, const ProblemSpec& spec,
               const ResumeSettings& settings = {});
  ResumableRun(const ResumableRun&) = delete;
  ResumableRun& operator=(const ResumableRun&) = delete;
  /// Removes what it made if nothing came of it: no simulation, no training, no result.
  ~ResumableRun();

  Ledger& ledger() { return *ledger_; }
  /// The resolved problem, as run.toml and the ledger have it.
  const std::string& run_toml() const { return run_toml_; }
  /// Whether recorded simulations may have another theta than is asked for: once a budget has
  /// grown, or failed simulations were made again.
  bool has_grown() const { return has_grown_; }
  /// How many failed simulations were forgotten, to be made again.
  long num_retried() const { return num_retried_; }
  /// What to tell about simulations of an earlier version of the simulator; empty: there are none.
  std::string mixed_simulators();
  std::string file(const std::string& name) const;
  /// Whether there is anything to go on with.
  bool has_progress();
  /// When the run stops: files that the simulator wrote to are no part of its fingerprint.
  void forget_outputs(const SimulatorSpec& spec);
  /// Before results are written: from now on it is not finished until the summary is there.
  void begin_results();
  /// After all of them are there.
  void end_results();

 private:
  void open(RunState state, const ResumeSettings& settings);
  void check_simulator(const SimulatorFingerprint& now, bool keep_simulations);
  void forget_failed();

  std::string path_;
  std::string run_toml_;
  SimulatorFingerprint simulator_;
  std::unique_ptr<Ledger> ledger_;
  long num_retried_ = 0;
  bool has_grown_ = false;
  bool is_fresh_ = false;
  bool has_results_ = false;
};

}  // namespace epsfree
