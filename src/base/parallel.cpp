#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace epsfree {

int resolve_num_threads(int num_threads) {
  if (num_threads > 0) return num_threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

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

  const auto work = [&](bool coordinating) {
    while (!stop.load(std::memory_order_relaxed)) {
      const std::size_t chunk = next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= num_chunks) return;
      try {
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
      for (std::size_t i = 0; i < num_helpers; ++i) threads.emplace_back([&] { work(false); });
    } catch (const std::system_error&) {
      // The system has no more threads to give: those that run do the work, with the same results.
    }
    work(true);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace epsfree
