#include "app/number_text.hpp"

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

}  // namespace
}  // namespace epsfree
