// The [run] table of a problem file: how a run is carried out, which never changes its result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "epsfree/ledger.hpp"
#include "epsfree/runner.hpp"
#include "io/section.hpp"

namespace epsfree {

/// Operational options: another run of the same problem may have others and goes on with its work.
struct RunOptions {
  int threads = 0;                          ///< for simulations; 0: as many as the machine has
  Recording record = Recording::automatic;  ///< which simulations are written to the ledger
  int retries = 1;                          ///< see RunnerOptions
  Index chunk = 0;
  long give_up_after = 20;
  double time_limit = 0;  ///< in seconds of the clock, for the whole run; 0: none
  bool report = true;     ///< check the answer at the end and write report.html

  RunnerOptions runner() const;
};

/// Keys of [run] given on the command line, with their values as TOML.
using RunOverrides = std::vector<std::pair<std::string, std::string>>;

RunOptions read_run(Section& section);
/// The table, with or without a comment for each key.
std::string run_toml(const RunOptions& options, bool comments);

}  // namespace epsfree
