#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace epsfree {
namespace {

TEST(Nearest, FindsTheOneTypoAway) {
  const std::vector<std::string> keys = {"num_steps", "batch_size", "learning_rate"};
  EXPECT_EQ(nearest("bacth_size", keys), "batch_size");
  EXPECT_EQ(nearest("num_step", keys), "num_steps");
}

TEST(Nearest, SaysNothingWhenNothingIsClose) {
  const std::vector<std::string> keys = {"num_steps", "batch_size"};
  EXPECT_EQ(nearest("zzzz", keys), "");
  EXPECT_EQ(nearest("", {}), "");
}

}  // namespace
}  // namespace epsfree
