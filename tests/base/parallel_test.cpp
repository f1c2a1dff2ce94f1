#include "base/parallel.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace epsfree {
namespace {

TEST(ParallelFor, CallsEveryIndexOnceForAnyNumberOfThreads) {
  for (int threads : {1, 2, 3, 8}) {
    for (std::size_t chunk : {1u, 7u, 1000u}) {
      std::vector<int> hits(503, 0);
      parallel_for(threads, hits.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++hits[i];
      });
      EXPECT_EQ(std::accumulate(hits.begin(), hits.end(), 0), 503);
      for (int hit : hits) EXPECT_EQ(hit, 1);
    }
  }
}

// Stacks larger than the address space: no thread can start.
TEST(ParallelFor, GoesOnWithTheThreadsThereAre) {
  pthread_attr_t usual, huge;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 60), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  std::vector<int> hits(100, 0);
  EXPECT_NO_THROW(parallel_for(4, hits.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++hits[i];
  }));
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  pthread_attr_destroy(&huge);
  pthread_attr_destroy(&usual);
  EXPECT_EQ(hits, std::vector<int>(100, 1));
}

TEST(ParallelFor, ChunksDoNotDependOnTheNumberOfThreads) {
  for (int threads : {1, 4}) {
    std::vector<std::size_t> begin_of(10, 99);
    parallel_for(threads, 10, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) begin_of[i] = begin;
    });
    EXPECT_EQ(begin_of, (std::vector<std::size_t>{0, 0, 0, 0, 4, 4, 4, 4, 8, 8}));
  }
}

TEST(ParallelFor, EmptyRangeCallsNothing) {
  parallel_for(4, 0, 1, [](std::size_t, std::size_t) { FAIL(); });
}

TEST(ParallelFor, RethrowsAndEndsAllThreads) {
  for (int threads : {1, 4}) {
    EXPECT_THROW(parallel_for(threads, 100, 1,
                              [](std::size_t begin, std::size_t) {
                                if (begin == 17) throw std::runtime_error("seventeen");
                              }),
                 std::runtime_error);
  }
}

TEST(ParallelFor, PollStopsIt) {
  std::atomic<int> done{0};
  // The pause keeps the other thread from finishing all before the polling one has started.
  const auto body = [&](std::size_t, std::size_t) {
    ++done;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  };
  parallel_for(2, 100000, 1, body, [] { return false; });
  EXPECT_LT(done.load(), 100000);
  EXPECT_GE(done.load(), 1);
}

}  // namespace
}  // namespace epsfree
