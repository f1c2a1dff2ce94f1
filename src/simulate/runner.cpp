#include "epsfree/runner.hpp"

#include "epsfree/error.hpp"

namespace epsfree {

void SimulationRequest::validate() const {
  if (thetas.rows() != simulator.num_parameters()) {
    throw Error(ErrorKind::usage, "SimulationRequest: thetas has " + std::to_string(thetas.rows()) +
                                      " rows, expected the simulator's " +
                                      std::to_string(simulator.num_parameters()) + " parameters");
  }
  if (!offsets.empty() && static_cast<Index>(offsets.size()) != thetas.cols()) {
    throw Error(ErrorKind::usage, "SimulationRequest: " + std::to_string(offsets.size()) +
                                      " offsets, expected none or one for each of the " +
                                      std::to_string(thetas.cols()) + " simulations");
  }
}

Key SimulationRequest::key(Index column) const {
  Key result = first;
  const Index offset = offsets.empty() ? column : offsets[static_cast<std::size_t>(column)];
  result.index += static_cast<std::uint64_t>(offset);
  return result;
}

DrawnFrom SimulationRequest::recorded_as() const {
  if (!worth_recording) return drawn_from;
  return drawn_from == DrawnFrom::prior ? DrawnFrom::prior_near : drawn_from;
}

const char* to_string(DrawnFrom drawn_from) {
  switch (drawn_from) {
    case DrawnFrom::prior:
      return "prior";
    case DrawnFrom::proposal:
      return "proposal";
    case DrawnFrom::prior_near:
      return "prior-near";
    case DrawnFrom::unknown:
      break;
  }
  return "unknown";
}

std::vector<Index> SimulationResults::ok_indices() const {
  std::vector<Index> indices;
  indices.reserve(static_cast<std::size_t>(num_ok()));
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i] == SimStatus::ok) indices.push_back(static_cast<Index>(i));
  }
  return indices;
}

void RunnerOptions::validate() const {
  const auto require = [](bool holds, const char* name, long value) {
    if (holds) return;
    throw Error(ErrorKind::usage, std::string("RunnerOptions: ") + name + " is " +
                                      std::to_string(value) + ", expected 0 or more");
  };
  require(num_threads >= 0, "num_threads", num_threads);
  require(retries >= 0, "retries", retries);
  require(chunk >= 0, "chunk", chunk);
  require(give_up_after >= 0, "give_up_after", give_up_after);
}

}  // namespace epsfree
