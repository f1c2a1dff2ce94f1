#include "report/drawing/figure_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/contains.hpp"
#include "support/error_of.hpp"

namespace epsfree {
namespace {

using Eigen::VectorXd;

Figure with(const Series& series) {
  Figure figure;
  figure.name = "a";
  figure.series = {series};
  return figure;
}

VectorXd one(double value) { return VectorXd::Constant(1, value); }

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks) {
    if (!tick.label.empty()) texts.push_back(tick.label);
  }
  return texts;
}

using Labels = std::vector<std::string>;

TEST(FigureScale, HoldsTheDataWithALittleRoom) {
  const Ranges ranges = figure_ranges(with(
      {SeriesKind::line, "", "", VectorXd::LinSpaced(11, 0, 10), VectorXd::LinSpaced(11, -5, 5)}));
  EXPECT_NEAR(ranges.x.low, -0.4, 1e-12);
  EXPECT_NEAR(ranges.x.high, 10.4, 1e-12);
  EXPECT_NEAR(ranges.y.low, -5.4, 1e-12);
}

TEST(FigureScale, LogarithmicRoomIsAFactor) {
  Figure figure = with({SeriesKind::line, "", "", Eigen::Vector2d(1, 100), Eigen::Vector2d(1, 2)});
  figure.x.log = true;
  const Ranges ranges = figure_ranges(figure);
  EXPECT_NEAR(std::log10(ranges.x.low), -0.08, 1e-12);
  EXPECT_NEAR(std::log10(ranges.x.high), 2.08, 1e-12);
}

TEST(FigureScale, BarsStandOnZero) {
  const Ranges ranges = figure_ranges(with(
      {SeriesKind::histogram, "", "", VectorXd::LinSpaced(5, 1, 5), VectorXd::Constant(5, 3)}));
  EXPECT_EQ(ranges.y.low, 0);
  EXPECT_GT(ranges.y.high, 3);
  EXPECT_LT(ranges.x.low, 0.5);
  EXPECT_GT(ranges.x.high, 5.5);
}

TEST(FigureScale, LevelsVerticalsAndIntervalsAreInside) {
  Figure figure = with({SeriesKind::intervals, "", "", one(1), one(2), one(-7), one(9)});
  figure.series.push_back({SeriesKind::level, "", "", {}, one(20)});
  figure.series.push_back({SeriesKind::vertical, "", "", one(-30), {}});
  const Ranges ranges = figure_ranges(figure);
  EXPECT_LT(ranges.y.low, -7);
  EXPECT_GT(ranges.y.high, 20);
  EXPECT_LT(ranges.x.low, -30);
  EXPECT_GT(ranges.x.high, 1);
}

TEST(FigureScale, APointThatIsNotShownTakesNoRoom) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Ranges ranges = figure_ranges(
      with({SeriesKind::markers, "", "", Eigen::Vector3d(1, 2, 1e9), Eigen::Vector3d(1, 2, nan)}));
  EXPECT_LT(ranges.x.high, 3);
}

TEST(FigureScale, HeatMapsFillTheAxes) {
  Figure figure;
  figure.heat = HeatMap{VectorXd::LinSpaced(3, 0, 2), VectorXd::LinSpaced(2, 0, 1),
                        Eigen::MatrixXd::Zero(2, 3), ""};
  const Ranges ranges = figure_ranges(figure);
  EXPECT_EQ(ranges.x.low, -0.5);
  EXPECT_EQ(ranges.x.high, 2.5);
  EXPECT_EQ(ranges.y.low, -0.5);
}

TEST(FigureScale, NothingAndOnePointHaveRangesToo) {
  for (const bool log : {false, true}) {
    Figure figure = with({SeriesKind::markers, "", "", one(1e-3), one(5)});
    figure.x.log = figure.y.log = log;
    Ranges ranges = figure_ranges(figure);
    EXPECT_LT(ranges.x.low, 1e-3);
    EXPECT_GT(ranges.x.high, 1e-3);
    figure.series.clear();
    ranges = figure_ranges(figure);
    EXPECT_LT(ranges.x.low, ranges.x.high);
    EXPECT_EQ(log, ranges.x.low > 0);
  }
}

TEST(FigureScale, TakesTheAxesAtTheirWord) {
  Figure figure = with({SeriesKind::line, "", "", one(1), one(1)});
  figure.x.low = 5;
  figure.x.high = 6;
  EXPECT_EQ(figure_ranges(figure).x.low, 5);
  figure.x.high = 4;
  EXPECT_CONTAINS(error_of(ErrorKind::usage, [&] { figure_ranges(figure); }), "x axis");
  figure.x = {"", true, 0.0, 1.0};
  EXPECT_CONTAINS(error_of(ErrorKind::usage, [&] { figure_ranges(figure); }), "positive");
}

TEST(FigureScale, LogarithmicTicksArePowersOfTen) {
  EXPECT_EQ(labels(log_ticks({0.1, 100})), (Labels{"10^{−1}", "10^{0}", "10^{1}", "10^{2}"}));
  EXPECT_EQ(log_ticks({1, 10}).size(), 10u);  // with the minor ones
  EXPECT_EQ(labels(log_ticks({1e-9, 1e12})), (Labels{"10^{−9}", "10^{−6}", "10^{−3}", "10^{0}",
                                                     "10^{3}", "10^{6}", "10^{9}", "10^{12}"}));
}

TEST(FigureScale, NarrowLogarithmicRangesHaveRoundNumbers) {
  EXPECT_EQ(labels(log_ticks({1.5, 8})), (Labels{"2", "3", "5", "7"}));
  EXPECT_EQ(labels(log_ticks({0.015, 0.6})), (Labels{"0.02", "0.05", "0.1", "0.2", "0.5"}));
  EXPECT_EQ(labels(log_ticks({2e6, 9e6})),
            (Labels{"2×10^{6}", "3×10^{6}", "5×10^{6}", "7×10^{6}"}));
  EXPECT_EQ(labels(log_ticks({1.04, 1.26})), (Labels{"1.05", "1.1", "1.15", "1.2", "1.25"}));
}

TEST(FigureScale, LinearTicksEnd) {
  EXPECT_EQ(labels(linear_ticks({-1, 1})), (Labels{"−1", "−0.5", "0", "0.5", "1"}));
  EXPECT_EQ(linear_ticks({-8, 8}, 9).size(), 9u);
  EXPECT_EQ(labels(linear_ticks({0, 14.4}, 9)),
            (Labels{"0", "2", "4", "6", "8", "10", "12", "14"}));
  EXPECT_LE(linear_ticks({1e17, std::nextafter(1e17, 1e18)}).size(), 11u);
}

}  // namespace
}  // namespace epsfree
