// How fast something goes, and how long the rest will take.
#pragma once

#include <chrono>
#include <deque>
#include <string>

namespace epsfree::cli {

/// Looks back over the last half minute, so that what was there at once (simulations of an earlier
/// run) and what became slower do not count for long.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// So many are done now. Fewer than before is a new beginning.
  void see(long done, Clock::time_point now = Clock::now());
  /// "35/s  2 min 10 s left", or "12 s each  1 h left"; empty as long as nothing is known.
  std::string text(long total) const;

 private:
  double rate() const;  // 0: not known yet
  struct Moment {
    Clock::time_point when;
    long done;
  };
  std::deque<Moment> moments_;  // old ones first; the first is where the look back begins
  Moment last_ = {};
};

}  // namespace epsfree::cli
