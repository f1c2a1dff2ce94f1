// A run directory at work: what an earlier run left there, and where this one puts its results.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/problem_file.hpp"
#include "epsfree/ledger.hpp"

namespace epsfree {

/// What stands in a run directory, seen from a problem that is to be run there.
enum class RunState {
  fresh,       ///< nothing, or what --force has removed
  unfinished,  ///< the same problem, begun
  finished,    ///< the same problem, done
  grown,       ///< the same problem with a smaller budget, begun or done
};

/// Looks and changes nothing. Takes earlier budgets into the problem where the default method has
/// spent some. Throws ErrorKind::usage if something else stands there (with the keys that differ),
/// ErrorKind::io if the place cannot be looked at.
RunState inspect_run(const std::string& path, bool force, ProblemSpec& spec);

/// A run at work in its directory, which holds run.toml, ledger.sqlite and status.json from the
/// start; results appear at the end, each by a rename, summary.json last: a directory with one is a
/// finished run.
class ResumableRun {
 public:
  /// Makes the directory, or takes up what is there. The state must be that of inspect_run, and not
  /// `finished`.
  ResumableRun(const std::string& path, RunState state, const ProblemSpec& spec);
  ResumableRun(const ResumableRun&) = delete;
  ResumableRun& operator=(const ResumableRun&) = delete;
  /// Removes what it made if nothing came of it: no simulation, no training, no result.
  ~ResumableRun();

  Ledger& ledger() { return *ledger_; }
  /// Whether recorded simulations may have another theta than is asked for: once a budget has
  /// grown.
  bool has_grown() const { return has_grown_; }
  std::string file(const std::string& name) const;
  /// Whether there is anything to go on with.
  bool has_progress();
  /// Before results are written: from now on it is not finished until the summary is there.
  void begin_results();

 private:
  void open(RunState state, const std::string& problem);

  std::string path_;
  std::unique_ptr<Ledger> ledger_;
  bool has_grown_ = false;
  bool is_fresh_ = false;
  bool has_results_ = false;
};

}  // namespace epsfree
