// How fast something goes, and how long the rest will take.
#pragma once

#include <chrono>
#include <deque>
#include <string>

namespace epsfree::cli {

/// Measures the speed over the last half minute. So the estimate soon forgets simulations that were
/// there at once, from an earlier run, and soon notices a change of speed.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Records the number done at this time. A smaller number than before starts a new measurement.
  void see(long done, Clock::time_point now = Clock::now());
  /// "35/s  2 min 10 s left", or "12 s each  1 h left"; empty until a speed is known.
  std::string text(long total) const;

 private:
  double rate() const;  // 0: not known yet
  struct Moment {
    Clock::time_point when;
    long done;
  };
  std::deque<Moment> moments_;  // oldest first; the speed is measured from the first one
  Moment last_ = {};
};

}  // namespace epsfree::cli
