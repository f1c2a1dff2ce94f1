#include "simulate/mpi/chunk_threads.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace epsfree {

ChunkThreads::ChunkThreads(const Simulator& simulator, const RunnerOptions& options)
    : simulator_(simulator), retries_(options.retries) {
  for (int i = 0; i < std::max(1, options.num_threads); ++i) {
    threads_.emplace_back([this](const std::stop_token& end) { work(end); });
  }
}

ChunkThreads::~ChunkThreads() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  stop_.request_stop();
}

void ChunkThreads::submit(Chunk chunk) {
  ++outstanding_;
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(chunk));
  changed_.notify_all();
}

std::optional<ChunkOutcome> ChunkThreads::poll() {
  const std::lock_guard lock(mutex_);
  if (finished_.empty()) return std::nullopt;
  ChunkOutcome outcome = std::move(finished_.front());
  finished_.pop_front();
  --outstanding_;
  return outcome;
}

void ChunkThreads::wait(std::chrono::microseconds longest) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest, [this] { return !finished_.empty(); });
}

std::vector<ChunkOutcome> ChunkThreads::abandon() {
  std::unique_lock lock(mutex_);
  waiting_.clear();
  stop_.request_stop();
  changed_.wait(lock, [this] { return num_busy_ == 0; });
  stop_ = {};
  outstanding_ = 0;
  std::vector<ChunkOutcome> finished(std::make_move_iterator(finished_.begin()),
                                     std::make_move_iterator(finished_.end()));
  finished_.clear();
  return finished;
}

void ChunkThreads::work(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, end, [this] { return !waiting_.empty(); })) {
    const Chunk chunk = std::move(waiting_.front());
    waiting_.pop_front();
    ++num_busy_;
    const std::stop_token stop = stop_.get_token();
    lock.unlock();
    ChunkOutcome outcome = simulate(simulator_, chunk, retries_, stop);
    lock.lock();
    --num_busy_;
    finished_.push_back(std::move(outcome));
    changed_.notify_all();
  }
}

}  // namespace epsfree
