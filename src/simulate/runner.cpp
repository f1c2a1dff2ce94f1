#include "epsfree/runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>

#include "base/parallel.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kProgressInterval = std::chrono::milliseconds(50);

/// One call of ThreadRunner::run. Threads write to their own columns of the results and share the
/// counters and the first failure only.
class ThreadRun {
 public:
  ThreadRun(const Simulator& simulator, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
            std::uint64_t seed, const Key& first, SimulationResults& results)
      : simulator_(simulator), thetas_(thetas), seed_(seed), first_(first), results_(results) {}

  /// Simulates the columns begin .. end-1 and settles how each ended.
  void run_batch(Index begin, Index end) {
    try {
      simulate(begin, end);
    } catch (...) {
      // Which column threw is not known: each depends on its theta and stream alone, so repeating
      // them one by one changes none of the others.
      if (end - begin == 1) {
        fail(begin);
      } else {
        for (Index i = begin; i < end; ++i) {
          try {
            simulate(i, i + 1);
          } catch (...) {
            fail(i);
          }
        }
      }
    }
    settle(begin, end);
  }

  long done() const { return done_.load(std::memory_order_relaxed); }
  long bad() const { return bad_.load(std::memory_order_relaxed); }
  const std::string& first_failure() const { return first_failure_; }

 private:
  void simulate(Index begin, Index end) {
    std::vector<Stream> streams;
    streams.reserve(static_cast<std::size_t>(end - begin));
    Key key = first_;
    for (Index i = begin; i < end; ++i) {
      key.index = first_.index + static_cast<std::uint64_t>(i);
      streams.emplace_back(seed_, key);
    }
    const auto statuses =
        std::span(results_.statuses).subspan(static_cast<std::size_t>(begin), streams.size());
    std::fill(statuses.begin(), statuses.end(), SimStatus::ok);
    simulator_.simulate(thetas_.middleCols(begin, end - begin), streams,
                        results_.statistics.middleCols(begin, end - begin), statuses);
  }

  /// Call from a catch block.
  void fail(Index i) {
    results_.statuses[static_cast<std::size_t>(i)] = SimStatus::failed;
    std::string what = "an exception that is not a std::exception";
    try {
      throw;
    } catch (const std::exception& exception) {
      what = exception.what();
    } catch (...) {
    }
    const std::lock_guard lock(failure_mutex_);
    if (i < first_failure_index_) {
      first_failure_index_ = i;
      first_failure_ = std::move(what);
    }
  }

  void settle(Index begin, Index end) {
    long bad = 0;
    for (Index i = begin; i < end; ++i) {
      SimStatus& status = results_.statuses[static_cast<std::size_t>(i)];
      auto x = results_.statistics.col(i);
      if (status == SimStatus::ok && !x.allFinite()) status = SimStatus::invalid;
      if (status == SimStatus::ok) continue;
      x.setConstant(std::numeric_limits<double>::quiet_NaN());
      ++bad;
    }
    bad_.fetch_add(bad, std::memory_order_relaxed);
    done_.fetch_add(static_cast<long>(end - begin), std::memory_order_relaxed);
  }

  const Simulator& simulator_;
  const Eigen::Ref<const Eigen::MatrixXd>& thetas_;
  const std::uint64_t seed_;
  const Key first_;
  SimulationResults& results_;
  std::atomic<long> done_{0}, bad_{0};
  std::mutex failure_mutex_;
  Index first_failure_index_ = std::numeric_limits<Index>::max();
  std::string first_failure_;
};

}  // namespace

std::vector<Index> SimulationResults::ok_indices() const {
  std::vector<Index> indices;
  indices.reserve(static_cast<std::size_t>(num_ok()));
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i] == SimStatus::ok) indices.push_back(static_cast<Index>(i));
  }
  return indices;
}

ThreadRunner::ThreadRunner(int num_threads) : num_threads_(resolve_num_threads(num_threads)) {
  if (num_threads < 0) {
    throw Error(ErrorKind::usage, "ThreadRunner: num_threads is " + std::to_string(num_threads) +
                                      ", expected 0 (all of the machine's) or more");
  }
}

SimulationResults ThreadRunner::run(const Simulator& simulator,
                                    const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                                    std::uint64_t seed, const Key& first,
                                    const std::function<Action(long, long)>& progress) {
  if (thetas.rows() != simulator.num_parameters()) {
    throw Error(ErrorKind::usage, "ThreadRunner: thetas has " + std::to_string(thetas.rows()) +
                                      " rows, expected the simulator's " +
                                      std::to_string(simulator.num_parameters()) + " parameters");
  }
  const auto start = Clock::now();
  const auto count = static_cast<std::size_t>(thetas.cols());
  SimulationResults results;
  results.statistics.setConstant(simulator.num_statistics(), thetas.cols(),
                                 std::numeric_limits<double>::quiet_NaN());
  results.statuses.assign(count, SimStatus::lost);

  ThreadRun thread_run(simulator, thetas, seed, first, results);
  auto last_report = start;
  const auto poll = [&] {
    if (!progress) return true;
    const auto now = Clock::now();
    if (now - last_report < kProgressInterval) return true;
    last_report = now;
    if (progress(thread_run.done(), thread_run.bad()) == Action::proceed) return true;
    results.interrupted = true;
    return false;
  };
  const auto batch = static_cast<std::size_t>(std::max<Index>(1, simulator.preferred_batch()));
  parallel_for(
      num_threads_, count, batch,
      [&](std::size_t begin, std::size_t end) {
        thread_run.run_batch(static_cast<Index>(begin), static_cast<Index>(end));
      },
      poll);
  // The last word: short runs are never asked about otherwise.
  if (progress && count > 0 && !results.interrupted) {
    results.interrupted = progress(thread_run.done(), thread_run.bad()) == Action::stop;
  }

  for (const SimStatus status : results.statuses)
    ++results.counts[static_cast<std::size_t>(status)];
  results.first_failure = thread_run.first_failure();
  results.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return results;
}

}  // namespace epsfree
