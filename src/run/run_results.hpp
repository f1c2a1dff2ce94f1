// What a run makes: where it goes, what was written.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/estimator.hpp"
#include "epsfree/mpi.hpp"
#include "epsfree/posterior.hpp"
#include "io/check_file.hpp"
#include "io/run_summary.hpp"
#include "report/run_contents.hpp"
#include "run/run_directory.hpp"

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

/// Writes what there is of a run, the summary with the posterior's digest last. `place` says where
/// a file of that name goes.
RunReport write_results(const std::function<std::string(const char*)>& place, RunSummary summary,
                        const Posterior& posterior, const Estimator* estimator,
                        const std::string& run_toml);

/// The same in a directory of its own, all of it or nothing.
RunReport publish(RunDirectory& directory, RunSummary summary, const Posterior& posterior,
                  const Estimator* estimator, const std::string& run_toml);

/// What there is of a run whose results have just been written, without what the caller has of it:
/// problem, simulations and check. With these it is what read_run reads.
RunContents contents_of(const std::string& run_directory, const RunSummary& summary,
                        const InferResult& result, const std::string& run_toml);

}  // namespace epsfree
