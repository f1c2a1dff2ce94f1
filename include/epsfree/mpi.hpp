// Simulating on many machines, by MPI.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "epsfree/runner.hpp"

namespace epsfree {

/// Whether the library was built with MPI.
bool mpi_is_built_in();

/// How many processes a launcher (mpirun, srun) started together with this one, by the variables
/// that it sets; 1 without a launcher. Does not start MPI.
int num_launched_processes();

/// One of the processes that a launcher started. Rank 0 drives: it alone reads, infers and writes,
/// and simulates when there is time. All others serve it with simulations. There is at most one in
/// a process, and every child process is to be started before it or by a helper that was.
class MpiProcess {
 public:
  /// Starts MPI. Throws ErrorKind::usage if the library was built without.
  MpiProcess();
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;
  /// Rank 0 sends the others home; all wait for each other.
  ~MpiProcess();

  int rank() const;
  int size() const;

  /// On any rank but 0: makes the simulator and simulates what rank 0 asks for, until that is
  /// done. What `make` throws is told to rank 0, where it is thrown by the runner. The options are
  /// looked at when the simulator has been made.
  void serve(const std::function<SimulatorPtr()>& make, const RunnerOptions& options);
  /// On rank 0: simulates on all ranks, with the threads that the options name, or one, here.
  std::unique_ptr<Runner> runner(const RunnerOptions& options);

  struct Connection;

 private:
  std::unique_ptr<Connection> connection_;
};

}  // namespace epsfree
