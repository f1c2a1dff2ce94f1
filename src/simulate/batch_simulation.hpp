// Some simulations of a request, made here and now.
#pragma once

#include <Eigen/Core>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "epsfree/runner.hpp"

namespace epsfree {

/// Simulates batches of a request's columns in this thread, tries faults again and settles how each
/// ended. Nothing is thrown: whatever happens is an outcome.
class BatchSimulation {
 public:
  /// The request must outlive it.
  BatchSimulation(const SimulationRequest& request, int retries);

  /// The columns begin .. end-1, which must be as many as `statistics` has. The records are valid
  /// until the next call; a simulation that was ended by `stop` is `lost`.
  std::span<const SimulationRecord> run(Index begin, Index end,
                                        Eigen::Ref<Eigen::MatrixXd> statistics,
                                        const std::stop_token& stop);

 private:
  void attempt(Index begin, Eigen::Ref<Eigen::MatrixXd> statistics, std::size_t first,
               std::size_t count, const std::stop_token& stop);
  void simulate(Index begin, Eigen::Ref<Eigen::MatrixXd> statistics, std::size_t first,
                std::size_t count, const std::stop_token& stop);

  const SimulationRequest& request_;
  int retries_;
  std::vector<Stream> streams_;
  std::vector<SimStatus> statuses_;
  std::vector<std::string> messages_;
  std::vector<FaultKind> kinds_;
  std::vector<SimulationRecord> records_;
};

}  // namespace epsfree
