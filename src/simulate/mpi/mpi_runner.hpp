// Rank 0's side of simulating on many ranks.
#pragma once

#include <memory>
#include <vector>

#include "epsfree/runner.hpp"
#include "simulate/mpi/mpi_connection.hpp"

namespace epsfree {

/// Hands chunks to the ranks that are ready, and to threads of its own while it has time.
class MpiRunner final : public Runner {
 public:
  /// The connection must outlive it.
  MpiRunner(MpiConnection& connection, const RunnerOptions& options);
  SimulationResults run(const SimulationRequest& request) override;
  int num_threads() const override { return connection_.size() * options_.num_threads; }

 private:
  friend class MpiRun;

  MpiConnection& connection_;
  RunnerOptions options_;
  std::uint64_t num_runs_ = 0;
  std::vector<bool> ready_;  // by rank
  double seconds_each_ = 0;  // a simulation, as of late; 0: not known
};

}  // namespace epsfree
