// Outcomes as they come in, counted and put in order.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <span>
#include <vector>

#include "epsfree/runner.hpp"

namespace epsfree {

/// Gathers the outcomes of one request. `add` may be called from several threads; all else from the
/// one that asked for the simulations.
class Tally {
 public:
  /// Both must outlive it. Every simulation is `lost` until it has been added.
  Tally(const SimulationRequest& request, long give_up_after, SimulationResults& results);

  /// The records' statistics must be in the results already.
  void add(std::span<const SimulationRecord> records);
  bool complete() const { return done_.load(std::memory_order_acquire) == total_; }

  /// Hands what has been added to the sink and asks the observer, if the last time is long enough
  /// ago or `now` is set. False: stop, and the results say why.
  bool report(bool now = false);
  /// Counts, once all has been added.
  void finish();

 private:
  void hand_to_sink();

  const SimulationRequest& request_;
  const long give_up_after_;
  const bool stops_at_wrong_sizes_;
  SimulationResults& results_;
  const long total_;
  std::atomic<long> done_{0}, bad_{0}, faults_{0}, wrong_sizes_{0};
  const std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_report_;
  std::mutex mutex_;  // protects the members below and the first failure
  FaultKind first_kind_ = FaultKind::any;
  std::vector<SimulationRecord> pending_;  // for the sink
};

}  // namespace epsfree
