// Trying a simulator before a long run rests on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "epsfree/observer.hpp"
#include "epsfree/summary.hpp"
#include "problem/problem_file.hpp"
#include "problem/single_simulation.hpp"

namespace epsfree {

enum class SimulatorVerdict { ok, warning, failure };
const char* to_string(SimulatorVerdict verdict);

/// One thing that was looked at.
struct Finding {
  std::string name;  ///< "outcomes", "same seed", "other seeds", ...
  SimulatorVerdict verdict = SimulatorVerdict::ok;
  std::string text;         ///< what was seen
  std::string advice = {};  ///< what to change, if anything
};

struct SimulatorCheckOptions {
  Index num_simulations = 20;  ///< from the prior; each check after that makes a few more
  double max_seconds = 60;     ///< about how long to go on; the first three are always made
  int num_threads = 0;         ///< that the run will have; 0: what the problem file says
  std::uint64_t seed = 1;
  std::vector<std::string> assignments = {};  ///< of --set, for the commands that are shown
  void validate() const;
};

struct SimulatorCheck {
  std::string simulator;  ///< its label
  Index num_parameters = 0;
  Index num_statistics = 0;
  std::vector<Finding> findings;
  SimulationCounts simulations;  ///< of those from the prior
  double median_seconds = 0;
  double slowest_seconds = 0;
  Index budget = 0;           ///< simulations that the problem's method may make
  int num_threads = 1;        ///< that can simulate at the same time
  double budget_seconds = 0;  ///< about how long that takes

  SimulatorVerdict verdict() const;  ///< the worst
};

/// Runs the simulator a few times. Throws ErrorKind::interrupted when the observer said stop.
SimulatorCheck check_simulator(const ProblemSpec& spec, const SimulatorCheckOptions& options = {},
                               Observer* observer = nullptr);

/// For other programs.
std::string check_json(const SimulatorCheck& check);

}  // namespace epsfree
