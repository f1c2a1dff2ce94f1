#include "problem/observed_file.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"

namespace epsfree {
namespace {

const std::vector<std::string> kNames = {"a", "b", "c"};
const Eigen::Vector3d kValues(1.5, -2, 0.1);

TEST(ObservedFile, AllFormsAreRead) {
  for (const char* text : {"1.5,-2,0.1\n", "a,b,c\n1.5,-2,0.1\n", "b,a,c\n-2,1.5,0.1\n",
                           "1.5\n-2\n0.1\n", "value\n1.5\n-2\n0.1\n", " [1.5, -2, 0.1]\n"}) {
    EXPECT_EQ(parse_observation(text, "x", kNames), kValues) << text;
  }
  EXPECT_EQ(parse_observation("0.5\n", "x", {"a"})[0], 0.5);
}

TEST(ObservedFile, FaultsSayWhatWasExpected) {
  const auto message = [](const char* text) {
    return error_of(ErrorKind::input, [&] { parse_observation(text, "x", kNames); });
  };
  EXPECT_EQ(message("1,2\n"), "x: got 2 numbers, expected 3 statistics (a, b, c)");
  EXPECT_EQ(message("1,nan,2\n"), "x: number 2 (b) is nan, expected a finite number");
  EXPECT_EQ(message("1,2,1e999\n"), "x: number 3 (c) is inf, expected a finite number");
  EXPECT_EQ(message("1,2,3\n4,5,6\n"),
            "x: got 2 lines of numbers, expected one observation: one line, or one column");
  EXPECT_EQ(message("a,b,d\n1,2,3\n"),
            "x: no column 'c' among a, b, d; expected 3 statistics (a, b, c)");
  EXPECT_EQ(message("[1, \"two\", 3]"), "x: entry 2 of the array is string, expected a number");
  EXPECT_EQ(message("[1, 2"),
            "x: expected a JSON array of numbers, and it is not valid JSON at byte 6");
  EXPECT_EQ(message("{}"), "x: expected a JSON array of numbers, got object");
  EXPECT_EQ(message(""), "x: expected at least one line of numbers, got none");
}

}  // namespace
}  // namespace epsfree
