#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/interruption.hpp"

namespace epsfree {

int resolve_num_threads(int num_threads) {
  if (num_threads > 0) return num_threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {
constexpr std::chrono::milliseconds kPollInterval{20};
}  // namespace

void parallel_for(int num_threads, std::size_t count, std::size_t chunk_size,
                  const std::function<void(std::size_t, std::size_t)>& body,
                  const std::function<bool()>& poll) {
  if (count == 0) return;
  chunk_size = std::max<std::size_t>(1, chunk_size);
  const std::size_t num_chunks = (count + chunk_size - 1) / chunk_size;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  std::size_t failed_chunk = num_chunks;

  InterruptionScope* const scope = InterruptionScope::current();
  std::size_t num_ended = 0;
  std::mutex end_mutex;
  std::condition_variable ended;

  const auto work = [&](bool coordinating) {
    while (!stop.load(std::memory_order_relaxed)) {
      const std::size_t chunk = next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= num_chunks) return;
      try {
        check_interruption();
        body(chunk * chunk_size, std::min(count, (chunk + 1) * chunk_size));
        if (coordinating && poll && !poll()) stop.store(true, std::memory_order_relaxed);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (chunk < failed_chunk) {
          failed_chunk = chunk;
          failure = std::current_exception();
        }
        stop.store(true, std::memory_order_relaxed);
      }
    }
  };

  {
    std::vector<std::jthread> threads;
    const std::size_t num_helpers =
        std::min(static_cast<std::size_t>(resolve_num_threads(num_threads)), num_chunks) - 1;
    threads.reserve(num_helpers);
    try {
      for (std::size_t i = 0; i < num_helpers; ++i) {
        threads.emplace_back([&] {
          const InterruptionScope::Guest guest(scope);
          work(false);
          const std::lock_guard lock(end_mutex);
          ++num_ended;
          ended.notify_one();
        });
      }
    } catch (const std::system_error&) {
      // The system has no more threads to give: those that run do the work, with the same results.
    }
    work(true);
    // The helpers end by themselves, but only this thread can see that they are to stop.
    std::unique_lock lock(end_mutex);
    while (scope != nullptr && num_ended < threads.size()) {
      ended.wait_for(lock, kPollInterval);
      lock.unlock();
      scope->poll();
      lock.lock();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace epsfree
