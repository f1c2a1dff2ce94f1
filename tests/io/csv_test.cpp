#include "io/csv.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"

namespace epsfree {
namespace {

TEST(Csv, RoundTripsBits) {
  Eigen::MatrixXd points(2, 3);
  points << 0.1, 1.0 / 3, -1e-310, 1e300, -0.0, 5;
  const CsvTable table = parse_csv(csv_header({"a", "b, \"c\""}) + csv_lines(points), "x.csv");
  EXPECT_EQ(table.header, (std::vector<std::string>{"a", "b, \"c\""}));
  EXPECT_EQ(table.points, points);
  EXPECT_TRUE(std::signbit(table.points(1, 1)));
}

TEST(Csv, HeaderCommentsAndBlankLinesAreOptional) {
  EXPECT_TRUE(parse_csv("1,2\n3,4", "x").header.empty());
  const CsvTable table = parse_csv("\xef\xbb\xbf# made by hand\r\n\r\na , b\r\n1,2\r\n", "x");
  EXPECT_EQ(table.header, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.points.cols(), 1);
}

TEST(Csv, FaultsNameTheLine) {
  const auto message = [](const char* text) {
    return error_of(ErrorKind::input, [&] { parse_csv(text, "x.csv"); });
  };
  EXPECT_EQ(message("a,b\n1,2\n3\n"), "x.csv:3: got 1 columns, expected 2 as in the lines before");
  EXPECT_EQ(message("1,2\n\n3,four\n"), "x.csv:3: expected a number, got 'four'");
  EXPECT_EQ(
      message("a,b\n"),
      "x.csv:1: expected numbers below the header 'a, b', which is taken for one because it is "
      "not all numbers");
  EXPECT_EQ(message("\"a,b\n1\n"), "x.csv:1: a quote is not closed");
}

TEST(Csv, ColumnsAreMatchedByName) {
  const CsvTable swapped = parse_csv("b,a\n1,2\n", "x.csv");
  EXPECT_EQ(match_columns(swapped, {"a", "b"}, "x.csv", "parameters"), Eigen::Vector2d(2, 1));
  const CsvTable plain = parse_csv("1,2\n", "x.csv");
  EXPECT_EQ(match_columns(plain, {"a", "b"}, "x.csv", "parameters"), Eigen::Vector2d(1, 2));
  EXPECT_EQ(error_of(ErrorKind::input,
                     [&] {
                       match_columns(swapped, {"a", "c"}, "x.csv", "parameters");
                     }),
            "x.csv: no column 'c' among b, a; expected 2 parameters (a, c)");
  EXPECT_EQ(error_of(ErrorKind::input, [&] { match_columns(plain, {"a"}, "x.csv", "parameters"); }),
            "x.csv: got 2 columns, expected 1 parameters (a)");
}

}  // namespace
}  // namespace epsfree
