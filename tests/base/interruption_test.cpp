#include "base/interruption.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/parallel.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TEST(Interruption, WithoutAScopeNothingHappens) {
  EXPECT_EQ(InterruptionScope::current(), nullptr);
  EXPECT_NO_THROW(check_interruption());
}

TEST(Interruption, ALoopEndsSoonAfterItIsToldTo) {
  const auto start = Clock::now();
  const InterruptionScope scope([&] { return seconds_since(start) > 0.1; });
  try {
    while (seconds_since(start) < 10) check_interruption();
    FAIL() << "it was not interrupted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
  EXPECT_LT(seconds_since(start), 1);
}

TEST(Interruption, ScopesNest) {
  const InterruptionScope outer([] { return false; });
  {
    const InterruptionScope inner([] { return true; });
    EXPECT_EQ(InterruptionScope::current(), &inner);
  }
  EXPECT_EQ(InterruptionScope::current(), &outer);
}

// The thread that asks has no work of its own left, and a helper's never ends by itself.
TEST(Interruption, ReachesTheHelpersOfAParallelLoop) {
  const auto start = Clock::now();
  const auto own = std::this_thread::get_id();
  std::atomic<bool> asked_elsewhere = false;
  const InterruptionScope scope([&] {
    if (std::this_thread::get_id() != own) asked_elsewhere = true;
    return seconds_since(start) > 0.1;
  });
  const auto body = [&](std::size_t begin, std::size_t) {
    if (begin == 0) return;
    while (seconds_since(start) < 10) check_interruption();
  };
  EXPECT_THROW(parallel_for(2, 2, 1, body), Error);
  EXPECT_LT(seconds_since(start), 2);
  EXPECT_FALSE(asked_elsewhere);
}

}  // namespace
}  // namespace epsfree
