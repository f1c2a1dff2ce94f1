// Trying a simulator before a long run rests on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "epsfree/observer.hpp"
#include "problem/problem_file.hpp"
#include "problem/simulator_findings.hpp"
#include "problem/single_simulation.hpp"

namespace epsfree {

struct SimulatorCheckOptions {
  Index num_simulations = 20;  ///< from the prior; each check after that makes a few more
  double max_seconds = 60;     ///< about how long to go on; the first three are always made
  int num_threads = 0;         ///< that the run will have; 0: what the problem file says
  std::uint64_t seed = 1;
  std::vector<std::string> assignments = {};  ///< of --set, for the commands that are shown
  void validate() const;
};

/// Runs the simulator a few times. Throws ErrorKind::interrupted when the observer said stop.
SimulatorCheck check_simulator(const ProblemSpec& spec, const SimulatorCheckOptions& options = {},
                               Observer* observer = nullptr);

/// For other programs.
std::string check_json(const SimulatorCheck& check);

}  // namespace epsfree
