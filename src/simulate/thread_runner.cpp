#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/parallel.hpp"
#include "epsfree/runner.hpp"
#include "simulate/batch_simulation.hpp"
#include "simulate/tally.hpp"

namespace epsfree {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(50);

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

  void run() {
    {
      const Index num_chunks = (total_ + chunk_ - 1) / chunk_;
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

 private:
  void work() {
    simulate();
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_one();
  }

  void simulate() {
    BatchSimulation batch(request_, options_.retries);
    while (!stop_.stop_requested()) {
      const Index begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
      if (begin >= total_) return;
      const Index end = std::min(begin + chunk_, total_);
      const auto records = batch.run(begin, end, results_.statistics.middleCols(begin, end - begin),
                                     stop_.get_token());
      // What was ended on request has no outcome, but what finished before has one.
      if (stop_.stop_requested()) {
        for (const SimulationRecord& record : records) {
          if (record.status != SimStatus::lost) tally_.add({&record, 1});
        }
      } else {
        tally_.add(records);
      }
    }
  }

  void wait() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kPatience, [this] { return running_ == 0; })) {
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
  std::mutex mutex_;  // of running_
  std::condition_variable ended_;
  Index running_ = 0;
};

}  // namespace

ThreadRunner::ThreadRunner(const RunnerOptions& options) : options_(options) {
  options_.validate();
  options_.num_threads = resolve_num_threads(options_.num_threads);
}

SimulationResults ThreadRunner::run(const SimulationRequest& request) {
  request.validate();
  SimulationResults results;
  ThreadRun(request, options_, results).run();
  return results;
}

}  // namespace epsfree
