// How fast the built-in simulators are, and how much memory simulations take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "epsfree/models.hpp"

namespace epsfree {

struct SimulationSpeed {
  std::string model;
  double per_second = 0;  ///< on one thread, at the paper's true parameters
  /// Of the same model written as a textbook has it, one reaction or job at a time, on one thread.
  std::optional<double> textbook_per_second = {};
  std::optional<double> times_textbook = {};
};

/// One simulation as a textbook has it, with its statistics; false where there is none for the
/// model.
bool simulate_by_the_book(const std::string& model_name, std::uint64_t seed, std::uint64_t index);

SimulationSpeed measure_simulation(const std::string& model_name, double seconds);

/// How many times faster two threads simulate Lotka-Volterra than one.
double measure_two_threads(double seconds);

/// Simulations of the M/G/1 queue a second through streaming rejection ABC, in so many threads,
/// drawing from the prior and choosing the nearest included.
double measure_streaming(int num_threads, double seconds);

/// What simulations of Lotka-Volterra's shape (4 parameters, 9 statistics) take.
struct SimulationMemory {
  double stored_bytes = 0;    ///< a simulation, kept as parameters and statistics in double
  double peak_bytes = 0;      ///< a simulation, at the worst moment of mdn-with-prior
  Index num_simulations = 0;  ///< that this was measured with
};

/// The peak is that of whole inferences in this process, measured at two sizes for the difference;
/// zero where the system does not tell.
SimulationMemory measure_memory(Index num_simulations);

}  // namespace epsfree
