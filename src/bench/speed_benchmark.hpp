// How fast epsfree is on this machine, all of it in one run, with the rate of plain matrix products
// beside.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/simulation_speed.hpp"
#include "bench/training_speed.hpp"
#include "epsfree/observer.hpp"

namespace epsfree {

struct SpeedReport {
  std::string gemm_backend;     ///< "OpenBLAS Zen", "Eigen"
  std::string instruction_set;  ///< of the kernels
  int num_cores = 0;
  std::vector<TrainingSpeed> training;
  std::vector<TrainingCost> training_costs;
  std::vector<SimulationSpeed> simulation;
  std::optional<double> two_threads = {};  ///< times one; none on a machine with one core
  double streaming_per_second = 0;         ///< streaming rejection ABC on M/G/1, on all cores
  SimulationMemory memory = {};
};

/// Takes about so many seconds. `progress(what, done, total)` is called before each part; where it
/// answers stop, ErrorKind::interrupted is thrown.
SpeedReport measure_speed(
    double seconds,
    const std::function<Action(const std::string& what, int done, int total)>& progress = {});

/// As versioned JSON (docs/formats.md).
std::string speed_json(const SpeedReport& report);

}  // namespace epsfree
