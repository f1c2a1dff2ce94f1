#include "base/words.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace epsfree {
namespace {

TEST(Words, AreJoined) {
  const std::vector<std::string> words = {"a", "b", "c"};
  EXPECT_EQ(joined(words), "a, b, c");
  EXPECT_EQ(joined(words, ";"), "a;b;c");
  EXPECT_EQ(joined(std::vector<std::string>()), "");
  EXPECT_EQ(joined(std::vector{1, 2}, " ", [](int i) { return std::to_string(10 * i); }), "10 20");
}

TEST(Words, AListingGrows) {
  Listing list("; ");
  EXPECT_TRUE(list.empty());
  list.add("a");
  list.add("b");
  EXPECT_FALSE(list.empty());
  EXPECT_EQ(list.text(), "a; b");
}

}  // namespace
}  // namespace epsfree
