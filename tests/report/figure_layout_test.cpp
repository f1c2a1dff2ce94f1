#include "report/drawing/figure_layout.hpp"

#include <gtest/gtest.h>

namespace epsfree {
namespace {

Figure with_series(int count, const std::string& label) {
  Figure figure;
  figure.name = "a";
  for (int i = 0; i < count; ++i) {
    figure.series.push_back(
        {SeriesKind::line, label, "", Eigen::Vector2d(1, 2), Eigen::Vector2d(1, 2)});
  }
  return figure;
}

/// How many entries are in the first row.
int columns(const Figure& figure) {
  int count = 0;
  const FigureLayout layout = figure_layout(figure);
  for (const LegendEntry& entry : layout.legend) count += entry.y == layout.legend[0].y ? 1 : 0;
  return count;
}

TEST(FigureLayout, GrowsWithTheLegendSoThatTheAxesKeepTheirSize) {
  const FigureLayout none = figure_layout(with_series(3, ""));
  const FigureLayout some = figure_layout(with_series(9, "a method's name"));
  EXPECT_EQ(none.legend.size(), 0u);
  EXPECT_EQ(some.legend.size(), 9u);
  EXPECT_GT(some.height, none.height + 18);
  EXPECT_NEAR(some.axes_high - some.axes_low, none.axes_high - none.axes_low, 8);
}

TEST(FigureLayout, LegendsHaveAsManyColumnsAsFit) {
  EXPECT_EQ(columns(with_series(4, "short")), 4);
  EXPECT_EQ(columns(with_series(4, "rather longer than that")), 2);
  EXPECT_EQ(columns(with_series(4, std::string(80, 'x'))), 1);
}

TEST(FigureLayout, PartsStandAboveEachOther) {
  Figure figure = with_series(3, "one");
  figure.x.label = "x";
  figure.title = "title";
  const FigureLayout layout = figure_layout(figure);
  EXPECT_GT(layout.x_label, layout.legend.front().y + 17);
  EXPECT_GT(layout.axes_low, layout.x_label + 9);
  EXPECT_GT(layout.height, layout.axes_high + 18);
}

TEST(FigureLayout, LongCategoriesAreRotatedAndGetRoom) {
  Figure figure = with_series(1, "one");
  figure.categories = {"a", "b", "c"};
  const FigureLayout small = figure_layout(figure);
  EXPECT_FALSE(small.rotated_categories);
  figure.categories[1] = "a name that is longer than there is room for";
  const FigureLayout large = figure_layout(figure);
  EXPECT_TRUE(large.rotated_categories);
  EXPECT_GT(large.axes_low, small.axes_low + 100);
  EXPECT_GT(large.axes_high - large.axes_low, 180);
}

TEST(FigureLayout, WhatIsNotShownIsNotInTheLegend) {
  Figure figure = with_series(2, "one");
  figure.series[1].x = figure.series[1].y = Eigen::VectorXd();
  ASSERT_EQ(figure_layout(figure).legend.size(), 1u);
  EXPECT_EQ(figure_layout(figure).legend.front().series, 0u);
}

}  // namespace
}  // namespace epsfree
