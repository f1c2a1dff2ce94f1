// Measuring how long tasks take beside each other.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "base/stopwatch.hpp"

namespace epsfree {

/// Runs the tasks in turns for about so long, three rounds at least, after one round to warm up,
/// and returns the shortest time of each. Whatever else the machine does meanwhile hits all of them
/// alike, and the shortest times are those that it hit least.
inline std::vector<double> shortest_turns(double seconds,
                                          const std::vector<std::function<void()>>& tasks) {
  constexpr int kFewestRounds = 3;
  for (const auto& task : tasks) task();
  std::vector<double> shortest(tasks.size(), std::numeric_limits<double>::infinity());
  const Stopwatch all;
  for (int round = 0; round < kFewestRounds || all.seconds() < seconds; ++round) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const Stopwatch one;
      tasks[i]();
      shortest[i] = std::min(shortest[i], one.seconds());
    }
  }
  return shortest;
}

}  // namespace epsfree
