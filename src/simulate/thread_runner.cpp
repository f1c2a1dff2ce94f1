#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/parallel.hpp"
#include "epsfree/runner.hpp"
#include "simulate/batch_simulation.hpp"
#include "simulate/tally.hpp"

namespace epsfree {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kThreadPatience = std::chrono::milliseconds(50);
// Starting threads and waiting for them takes longer, the more so on a busy machine.
constexpr double kQuickSeconds = 200e-6;
// When what was expected to be quick is not, threads do the rest.
constexpr auto kQuickLimit = std::chrono::milliseconds(1);

/// One call of ThreadRunner::run. Threads write to their own columns of the results; the one that
/// asked only waits and reports, so that simulations of hours are heard of and stopped in time.
class ThreadRun {
 public:
  ThreadRun(const SimulationRequest& request, const RunnerOptions& options,
            SimulationResults& results)
      : request_(request),
        options_(options),
        results_(results),
        tally_(request, options.give_up_after, results),
        total_(request.thetas.cols()),
        chunk_(std::max<Index>(
            1, options.chunk > 0 ? options.chunk : request.simulator.preferred_batch())) {}

  /// `expected_each`: seconds that one simulation is expected to take.
  void run(double expected_each) {
    if (expected_each * static_cast<double>(total_) < kQuickSeconds) {
      simulate(Clock::now() + kQuickLimit);
    }
    if (const Index left = total_ - next_.load(std::memory_order_relaxed); left > 0) {
      const Index num_chunks = (left + chunk_ - 1) / chunk_;
      const Index wanted = std::min<Index>(options_.num_threads, num_chunks);
      std::vector<std::jthread> threads;
      threads.reserve(static_cast<std::size_t>(wanted));
      running_ = wanted;
      try {
        for (Index i = 0; i < wanted; ++i) {
          threads.emplace_back([this] { work(); });
        }
      } catch (const std::system_error&) {
        // The system has no more threads to give: those that run do the work, with the same
        // results, and if there is none this one does.
        const auto missing = wanted - static_cast<Index>(threads.size());
        {
          const std::lock_guard lock(mutex_);
          running_ -= missing;
        }
        if (threads.empty()) simulate();
      }
      wait();
    }
    // The last word: short runs are never asked about otherwise.
    if (total_ > 0 && !results_.interrupted && !results_.gave_up) tally_.report(true);
    tally_.finish();
  }

  double seconds_each() const { return busy_seconds_ / static_cast<double>(total_); }

 private:
  void work() {
    simulate();
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_one();
  }

  void simulate(Clock::time_point until = Clock::time_point::max()) {
    BatchSimulation batch(request_, options_.retries);
    double seconds = 0;
    while (!stop_.stop_requested() && (until == Clock::time_point::max() || Clock::now() < until)) {
      const Index begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
      if (begin >= total_) break;
      const Index end = std::min(begin + chunk_, total_);
      const auto records = batch.run(begin, end, results_.statistics.middleCols(begin, end - begin),
                                     stop_.get_token());
      for (const SimulationRecord& record : records) seconds += record.seconds;
      // What was ended on request has no outcome, but what finished before has one.
      if (stop_.stop_requested()) {
        for (const SimulationRecord& record : records) {
          if (record.status != SimStatus::lost) tally_.add({&record, 1});
        }
      } else {
        tally_.add(records);
      }
    }
    const std::lock_guard lock(mutex_);
    busy_seconds_ += seconds;
  }

  void wait() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kThreadPatience, [this] { return running_ == 0; })) {
      lock.unlock();
      try {
        if (!stop_.stop_requested() && !tally_.report()) stop_.request_stop();
      } catch (...) {
        stop_.request_stop();  // the threads are joined on the way out
        throw;
      }
      lock.lock();
    }
  }

  const SimulationRequest& request_;
  const RunnerOptions& options_;
  SimulationResults& results_;
  Tally tally_;
  const Index total_;
  const Index chunk_;
  std::atomic<Index> next_{0};
  std::stop_source stop_;
  std::mutex mutex_;  // of running_ and busy_seconds_
  std::condition_variable ended_;
  Index running_ = 0;
  double busy_seconds_ = 0;
};

}  // namespace

ThreadRunner::ThreadRunner(const RunnerOptions& options) : options_(options) {
  options_.validate();
  options_.num_threads = resolve_num_threads(options_.num_threads);
}

SimulationResults ThreadRunner::run(const SimulationRequest& request) {
  request.validate();
  SimulationResults results;
  ThreadRun run(request, options_, results);
  run.run(timed_ == &request.simulator ? seconds_each_ : std::numeric_limits<double>::infinity());
  if (request.thetas.cols() > 0) {
    timed_ = &request.simulator;
    seconds_each_ = run.seconds_each();
  }
  return results;
}

}  // namespace epsfree
