#include "simulate/process/statistics_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/contains.hpp"

namespace epsfree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double number(std::string_view text, std::string_view rest = "") {
  double value = 12345;
  EXPECT_TRUE(take_number(text, value)) << text;
  EXPECT_EQ(text, rest);
  return value;
}

TEST(TakeNumber, TakesWhatProgramsPrint) {
  EXPECT_EQ(number("0.1"), 0.1);
  EXPECT_EQ(number("+1"), 1);
  EXPECT_EQ(number(".5,7", ",7"), 0.5);
  EXPECT_EQ(number("5."), 5);
  EXPECT_EQ(number("-1.5E-3 x", " x"), -1.5e-3);
  EXPECT_EQ(number("1.5D+03"), 1500);
  EXPECT_EQ(number("-2d2]", "]"), -200);
  EXPECT_EQ(number("2.2250738585072014e-308"), 2.2250738585072014e-308);
  EXPECT_EQ(number("4.9406564584124654e-324"), 4.9406564584124654e-324);
  EXPECT_TRUE(std::isnan(number("NaN")));
  EXPECT_TRUE(std::isnan(number("-nan")));
  EXPECT_TRUE(std::isnan(number("null")));
  EXPECT_EQ(number("Infinity"), kInfinity);
  EXPECT_EQ(number("+INF"), kInfinity);
  EXPECT_EQ(number("-inf"), -kInfinity);
  EXPECT_EQ(number("1e999"), kInfinity);
  EXPECT_EQ(number("-1e999"), -kInfinity);
  EXPECT_EQ(number("1e-999"), 0);
  EXPECT_EQ(number(std::string(400, '9')), kInfinity);
  EXPECT_EQ(number("0." + std::string(400, '0') + "1"), 0);
  for (std::string_view none : {"", "x", "+", "-", ".", "+-1", "e5", "D3", "nul"}) {
    std::string_view text = none;
    double value;
    EXPECT_FALSE(take_number(text, value)) << none;
    EXPECT_EQ(text, none);
  }
}

StatisticsText read(std::string_view text, const Eigen::VectorXd& expected) {
  Eigen::VectorXd x = Eigen::VectorXd::Constant(expected.size(), -1);
  const StatisticsText result = read_statistics(text, x);
  if (result.status == SimStatus::ok) {
    EXPECT_EQ(x, expected) << text;
  }
  return result;
}

TEST(ReadStatistics, TakesNumbersInAnyOrderOfLines) {
  const Eigen::Vector3d expected(1, 2.5, -3);
  for (const char* text : {"1 2.5 -3", "1,2.5,-3\n", " 1\n2.5\r\n\n-3", "[1, 2.5, -3]",
                           "\n[1,2.5,-3] \n", "1;2.5;-3", "1\t2.5\t-3,"}) {
    EXPECT_EQ(read(text, expected).status, SimStatus::ok) << text;
  }
  for (const char* text : {"", "1 2", "1 2 3 4", "[]", "[1,2]"}) {
    EXPECT_EQ(read(text, expected).status, SimStatus::failed) << text;
    EXPECT_EQ(read(text, expected).kind, FaultKind::wrong_size) << text;
  }
  EXPECT_EQ(read("1 nan 3", expected).message, "statistic 2 is nan");
  EXPECT_EQ(read("[1,null,3]", expected).status, SimStatus::invalid);
  EXPECT_EQ(read("1 2 inf", expected).status, SimStatus::invalid);
  for (const char* text : {"1 2 x", "1 2 3x", "[1,2,3", "x = 1 2 3", "[[1,2,3]]", "1 2 3 done",
                           "{\"x\":[1,2,3]}", "1:2:3"}) {
    EXPECT_EQ(read(text, expected).status, SimStatus::failed) << text;
  }
  EXPECT_CONTAINS(read("1 2 done\n", expected).message, "'done\\n' where a number");
}

TEST(Excerpt, IsShortAndPrintable) {
  EXPECT_EQ(excerpt("a\nb\x01"), "'a\\nb?'");
  EXPECT_EQ(excerpt("abcdef", 3), "'abc...'");
}

}  // namespace
}  // namespace epsfree
