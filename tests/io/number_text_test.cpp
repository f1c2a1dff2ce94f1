#include "io/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

TEST(NumberText, EveryDoubleReadsBackAsItself) {
  Stream stream(1);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bits = stream.bits64();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value)) continue;
    EXPECT_EQ(parse_number(number_text(value)), value);
    EXPECT_EQ(parse_number(toml_number(value)), value);
  }
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-0.0), "-0");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(NumberText, TomlNumbersAreNeverIntegers) {
  EXPECT_EQ(toml_number(3), "3.0");
  EXPECT_EQ(toml_number(-0.0), "-0.0");
  EXPECT_EQ(toml_number(1e300), "1e+300");
  EXPECT_EQ(toml_number(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(NumberText, ParsesWholeTextsOnly) {
  EXPECT_EQ(parse_number(" 1.5\r"), 1.5);
  EXPECT_EQ(parse_number("+2"), 2);
  EXPECT_EQ(parse_number("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_number("nan").value()));
  for (const char* text : {"", " ", "1x", "1 2", "+-1", "one", "1,5", "0x10"}) {
    EXPECT_FALSE(parse_number(text).has_value()) << text;
  }
}

TEST(NumberText, DurationsAreForPeople) {
  EXPECT_EQ(duration_text(0), "0.0 us");
  EXPECT_EQ(duration_text(2.5e-6), "2.5 us");
  EXPECT_EQ(duration_text(0.0421), "42 ms");
  EXPECT_EQ(duration_text(9.99), "10 s");
  EXPECT_EQ(duration_text(80), "1 min 20 s");
  EXPECT_EQ(duration_text(119.7), "2 min");
  EXPECT_EQ(duration_text(7200), "2 h");
  EXPECT_EQ(duration_text(100000), "1 day 4 h");
}

TEST(NumberText, NumbersForPeople) {
  EXPECT_EQ(short_number(0.012345), "0.01235");
  EXPECT_EQ(short_number(-2), "−2");
  EXPECT_EQ(short_number(std::numeric_limits<double>::quiet_NaN()), "unknown");
  EXPECT_EQ(fixed_number(-0.128, 2), "−0.13");
  EXPECT_EQ(fixed_number(-0.001, 2), "0.00");
  EXPECT_EQ(fixed_number(1e308, 0).size(), 309u);
}

}  // namespace
}  // namespace epsfree
