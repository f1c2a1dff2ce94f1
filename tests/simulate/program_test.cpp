#include "simulate/process/program.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epsfree {
namespace {

TEST(TimeLimit, FollowsTheMedianOnceItIsKnown) {
  TimeLimit limit({.time_limit_seconds = 100, .time_limit_factor = 4});
  EXPECT_EQ(limit.limit(), 100);
  EXPECT_EQ(limit.median(), 0);
  for (int i = 0; i < 19; ++i) limit.add(i % 2 == 0 ? 1 : 3);
  EXPECT_EQ(limit.limit(), 100);
  limit.add(2);
  EXPECT_EQ(limit.median(), 2);
  EXPECT_EQ(limit.limit(), 8);
  // As they change, so does it, but the absolute limit stands.
  for (int i = 0; i < 1000; ++i) limit.add(50);
  EXPECT_EQ(limit.limit(), 100);
  for (int i = 0; i < 1000; ++i) limit.add(1e-4);
  EXPECT_EQ(limit.limit(), 0.1);
}

TEST(TimeLimit, IsInfiniteIfNotAskedFor) {
  TimeLimit limit({});
  for (int i = 0; i < 30; ++i) limit.add(1);
  EXPECT_TRUE(std::isinf(limit.limit()));
  EXPECT_EQ(limit.median(), 1);
}

TEST(Program, IsFoundOnThePath) {
  EXPECT_EQ(find_program({.argv = {"sh"}}).back(), 'h');
  EXPECT_EQ(find_program({.argv = {"sh"}}).front(), '/');
  EXPECT_EQ(absolute_path("a/../b", "/x/y"), "/x/y/b");
  EXPECT_EQ(absolute_path("/a", "/x"), "/a");
}

}  // namespace
}  // namespace epsfree
