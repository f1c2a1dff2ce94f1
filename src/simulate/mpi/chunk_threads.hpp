// Threads that simulate chunks while another one talks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "simulate/mpi/chunk.hpp"

namespace epsfree {

/// Simulate what they are given. All members are called from one thread, which is free to do what
/// must not wait: only one thread of a process may speak MPI.
class ChunkThreads {
 public:
  /// The simulator must outlive it.
  ChunkThreads(const Simulator& simulator, const RunnerOptions& options);
  /// Ends what runs.
  ~ChunkThreads();

  int num_threads() const { return static_cast<int>(threads_.size()); }
  void submit(Chunk chunk);
  /// How many were submitted and not yet returned by `poll`.
  int outstanding() const { return outstanding_; }
  std::optional<ChunkOutcome> poll();
  /// Until there is something to poll, but not longer.
  void wait(std::chrono::microseconds longest);
  /// Ends what runs, forgets what waits, and returns what had been finished by then.
  std::vector<ChunkOutcome> abandon();

 private:
  void work(const std::stop_token& end);

  const Simulator& simulator_;
  const int retries_;
  int outstanding_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Chunk> waiting_;
  std::deque<ChunkOutcome> finished_;
  int num_busy_ = 0;
  std::stop_source stop_;              // of what runs now
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace epsfree
