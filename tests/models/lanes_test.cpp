// The lanes of the kernel files, here for the instruction set that tests are compiled for.
#define EPSFREE_ISA lanes_test
#include "models/lanes.hpp"

#include <gtest/gtest.h>

#include "base/philox_lanes.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

using namespace lanes_test;

TEST(Lanes, GiveEachLaneThePhiloxBlocksOfItsKey) {
  Stream stream(1);
  PhiloxLanes state = {};
  uint64_t keys[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    keys[lane] = stream.bits64();
    state.set(lane, keys[lane]);
  }
  for (uint64_t counter = 0; counter < 100; ++counter) {
    WordLanes words[4];
    next_block(state, words);
    for (int lane = 0; lane < kLanes; ++lane) {
      const PhiloxBlock block = philox4x32<7>(keys[lane], counter, 0);
      EXPECT_EQ(words[0][lane], block.a);
      EXPECT_EQ(words[1][lane], block.b);
      EXPECT_EQ(words[2][lane], block.c);
      EXPECT_EQ(words[3][lane], block.d);
    }
  }
}

TEST(Lanes, UniformsStayWithinTheirEnds) {
  const WordLanes smallest = {}, largest = smallest - 1;
  EXPECT_GT(uniform_lanes(smallest)[0], 0.0f);
  EXPECT_LE(uniform_lanes(largest)[0], 1.0f);
  EXPECT_EQ(uniform_below_one_lanes(smallest)[0], 0.0f);
  EXPECT_LT(uniform_below_one_lanes(largest)[0], 1.0f);
  EXPECT_GE(exponential_lanes(largest)[0], 0.0f);
  EXPECT_NEAR(exponential_lanes(smallest)[0], 22.18f, 0.01f);
}

TEST(Lanes, MaskBitsAreTheLanes) {
  IntLanes mask = {};
  mask[1] = -1;
  mask[kLanes - 1] = -1;
  EXPECT_EQ(mask_bits(mask), 2u | (1u << (kLanes - 1)));
  EXPECT_EQ(mask_bits(IntLanes{}), 0u);
}

}  // namespace
}  // namespace epsfree
