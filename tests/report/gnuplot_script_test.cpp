#include "report/drawing/gnuplot_script.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/contains.hpp"

namespace epsfree {
namespace {

using Eigen::VectorXd;

std::string script_of(const Series& series, PictureFormat format = PictureFormat::svg) {
  Figure figure;
  figure.name = "a";
  figure.x.low = figure.y.low = 1;
  figure.x.high = figure.y.high = 8;
  figure.series = {series};
  return gnuplot_script(figure, format);
}

TEST(GnuplotScript, LevelsAndVerticalsGoFromEdgeToEdge) {
  const VectorXd place = VectorXd::Constant(1, 4.5);
  EXPECT_CONTAINS(script_of({SeriesKind::level, "", "#000000", {}, place}), "\n1 4.5\n8 4.5\nEOD");
  EXPECT_CONTAINS(script_of({SeriesKind::vertical, "", "#000000", place, {}}),
                  "\n4.5 1\n4.5 8\nEOD");
}

TEST(GnuplotScript, AMissingPointInterruptsALine) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  VectorXd x(6), y(6);
  x << 1, 2, 3, 4, 5, 6;
  y << nan, 2, nan, nan, 5, nan;
  EXPECT_CONTAINS(script_of({SeriesKind::line, "", "#000000", x, y}), "EOD\n2 2\n\n5 5\nEOD");
}

TEST(GnuplotScript, DashesColoursAndLabelsAreTheSeries) {
  Series series{SeriesKind::line, "it's", "#123456", Eigen::Vector2d(1, 2), Eigen::Vector2d(1, 2)};
  EXPECT_CONTAINS(script_of(series), "with lines lw 1.8 dt solid lc rgb '#123456'");
  series.dashed = true;
  EXPECT_CONTAINS(script_of(series), "dt (");
  EXPECT_CONTAINS(script_of(series), "set label 'it''s' noenhanced");
}

TEST(GnuplotScript, BarsHaveOneWidth) {
  EXPECT_CONTAINS(script_of({SeriesKind::histogram, "", "", Eigen::Vector3d(2, 2.5, 3),
                             Eigen::Vector3d(1, 2, 3)}),
                  "2 1 0.5\n2.5 2 0.5\n3 3 0.5\n");
}

TEST(GnuplotScript, BothFormatsHaveTheSameSize) {
  const Series series{SeriesKind::line, "", "", Eigen::Vector2d(1, 2), Eigen::Vector2d(1, 2)};
  EXPECT_CONTAINS(script_of(series), "size 480,348");
  EXPECT_CONTAINS(script_of(series, PictureFormat::pdf), "size 6.66");
  EXPECT_CONTAINS(script_of(series, PictureFormat::pdf), "in,4.83");
}

}  // namespace
}  // namespace epsfree
