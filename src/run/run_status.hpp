// status.json as an onlooker reads it: a run at work, without touching its ledger.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace epsfree {

struct RunProgress {
  std::string state, phase;
  int round = 0;
  long done = 0, total = 0, planned = 0, not_ok = 0;
  long replayed = 0, simulated = 0;
  double simulations_per_second = 0;
  long step = 0, num_steps = 0;
  std::vector<double> movements = {};  ///< of the rounds that are done; NaN: not known
  double seconds = 0;
  std::optional<double> seconds_left = {};
  std::string message = {};
  std::string started, updated;
  /// Whether its process is known to be gone although it says that it is running.
  bool died = false;

  bool at_work() const { return state == "running" && !died; }
};

/// Throws ErrorKind::io if it cannot be read, ErrorKind::input if there is none or it is damaged.
RunProgress read_progress(const std::string& run_directory);

/// The same from text; `path` names it in messages.
RunProgress parse_progress(const std::string& text, const std::string& path);

/// A few lines for people.
std::string progress_text(const RunProgress& progress);

}  // namespace epsfree
