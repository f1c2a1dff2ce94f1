// Watching a run: progress bars, logs and callbacks are observers.
#pragma once

#include <string_view>

namespace epsfree {

/// What an observer wants to happen next.
enum class Action { proceed, stop };

enum class LogLevel { info, warning };

/// Some simulations have ended.
struct SimulationProgress {
  const char* phase = "";  ///< "pilot", "round", "final"
  int round = 0;           ///< 1 for the first; 0 for the pilot
  int num_rounds = 0;      ///< the most there will be
  long done = 0;
  long total = 0;
  long num_bad = 0;  ///< of those done, the ones that are not ok
};

/// Some training steps have been made.
struct TrainingProgress {
  const char* phase = "";
  int round = 0;
  int num_rounds = 0;
  long step = 0;
  long num_steps = 0;
  double loss = 0;  ///< smoothed training loss
};

struct RoundSummary;  // summary.hpp

/// Called from the coordinating thread only, a few times a second at most. The base does nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual Action on_simulation(const SimulationProgress&) { return Action::proceed; }
  virtual Action on_training(const TrainingProgress&) { return Action::proceed; }
  virtual Action on_round(const RoundSummary&) { return Action::proceed; }
  /// Asked during computations that have no progress to report; they end soon after a stop.
  virtual Action poll() { return Action::proceed; }
  virtual void log(LogLevel, std::string_view) {}
};

}  // namespace epsfree
