// What the front ends do, without a terminal: run, ask again, combine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/check_file.hpp"
#include "app/problem_file.hpp"
#include "app/run_summary.hpp"
#include "epsfree/infer.hpp"
#include "epsfree/mpi.hpp"

namespace epsfree {

/// Where results go.
struct RunSettings {
  std::string out;     ///< the run directory to make
  bool force = false;  ///< replace an earlier run
  /// Run recorded simulations that failed again, and everything that depends on them.
  bool retry_failed = false;
  /// Continue with the recorded simulations even if the simulator has changed.
  bool keep_simulations = false;
  /// Run the simulator of a directory even if this user did not make the directory.
  bool trust = false;
  MpiProcess* mpi = nullptr;  ///< rank 0 of several, which simulate for it; none: threads
  double commit_seconds = 1;  ///< between writes of the ledger: what a killed run loses at most
};

/// What was made.
struct RunReport {
  RunSummary summary;
  std::vector<std::string> files = {};    ///< paths written
  bool was_finished = false;              ///< by an earlier run: nothing was computed
  std::optional<CheckRecord> check = {};  ///< of the answer, where it was checked
  std::string warning = {};               ///< what of its checks or report went wrong
};

/// "runs/<problem name>": where a run goes when nobody says where.
std::string default_run_directory(const ProblemSpec& spec);

/// Infers and writes a run directory. One that holds an unfinished run of the same problem is taken
/// up where it ended, a finished one is only read. Throws ErrorKind::usage if it holds another run,
/// or one whose simulator has changed,
/// ErrorKind::interrupted if the observer said stop and ErrorKind::stopped if the time limit was
/// reached; what had been recorded by then is there for the next run. Unless run.report is false,
/// the answer is then checked and report.html written; where that fails, the observer is told why.
RunReport run_problem(const ProblemSpec& spec, const RunSettings& settings,
                      Observer* observer = nullptr);

/// Simulates for the rank 0 that runs the same problem, until that is done. `load` reads it.
void serve_problem(const std::function<ProblemSpec()>& load, MpiProcess& mpi);

/// The posterior of a finished run at another observation, without new simulations, as a run
/// directory of its own. Throws ErrorKind::usage where the run's estimator does not allow it.
RunReport run_at_observation(const std::string& run_directory, const ProblemOverrides& overrides,
                             const RunSettings& settings);

/// The posterior given the data of all the runs (see `combine` in posterior.hpp). Throws
/// ErrorKind::input if two of them hold the data of the same run.
RunReport combine_runs(const std::vector<std::string>& run_directories,
                       const RunSettings& settings);

/// The posterior of a run directory, checked as in open_summary, or of a posterior file.
PosteriorPtr open_posterior(const std::string& path);

/// The summary of a run directory, checked against the posterior that lies beside it. Throws
/// ErrorKind::input if they do not belong together.
RunSummary open_summary(const std::string& run_directory);

}  // namespace epsfree
