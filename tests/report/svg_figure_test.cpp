#include "report/drawing/svg_figure.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "report/xml_text.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"

namespace epsfree {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Eigen::VectorXd values(std::initializer_list<double> list) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(list.size()));
  Eigen::Index i = 0;
  for (const double value : list) result[i++] = value;
  return result;
}

Figure with(Series series) {
  Figure figure{.name = "f", .title = "T & t", .caption = "C <c>", .x = {"x"}, .y = {"y"}};
  figure.series.push_back(std::move(series));
  return figure;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(SvgFigure, IsWellFormedWithTextAlternatives) {
  for (const SeriesKind kind :
       {SeriesKind::line, SeriesKind::points, SeriesKind::markers, SeriesKind::histogram,
        SeriesKind::intervals, SeriesKind::band, SeriesKind::level, SeriesKind::vertical}) {
    const std::string svg = figure_svg(with({.kind = kind,
                                             .label = "s",
                                             .colour = "#0072b2",
                                             .x = values({1, 2, 3}),
                                             .y = values({2, 1, 4}),
                                             .low = values({1, 0, 3}),
                                             .high = values({3, 2, 5})}));
    EXPECT_NO_THROW(parse_xml(svg)) << static_cast<int>(kind);
    EXPECT_CONTAINS(svg, "T &amp; t</title>");
    EXPECT_CONTAINS(svg, "C &lt;c&gt;</desc>");
    EXPECT_CONTAINS(svg, "var(--c0072b2,#0072b2)");
    EXPECT_CONTAINS(svg, ">s</text>");
  }
}

TEST(SvgFigure, MissingPointsInterruptALineAndABand) {
  const Figure line = with({.kind = SeriesKind::line,
                            .label = "",
                            .colour = "#112233",
                            .x = values({1, 2, 3, 4, 5}),
                            .y = values({1, 2, kNaN, 2, 1})});
  EXPECT_EQ(count(figure_svg(line), "stroke:var(--c112233"), 2u);
  const Figure band = with({.kind = SeriesKind::band,
                            .label = "",
                            .colour = "#112233",
                            .x = values({1, 2, 3, 4, 5}),
                            .low = values({1, 2, kNaN, 2, 1}),
                            .high = values({2, 3, 4, 3, 2})});
  EXPECT_EQ(count(figure_svg(band), "fill:var(--c112233"), 2u);
  EXPECT_EQ(figure_svg(band).find("nan"), std::string::npos);
}

TEST(SvgFigure, PointsStandWhereTheyBelong) {
  // From 0 to 10 on both axes: the middle is in the middle of the frame.
  Figure figure =
      with({.kind = SeriesKind::vertical, .label = "", .colour = "#112233", .x = values({5})});
  figure.x.low = figure.y.low = 0.0;
  figure.x.high = figure.y.high = 10.0;
  const std::string svg = figure_svg(figure);
  double frame_x = 0, frame_width = 0;
  const std::size_t own = svg.find("<rect x=");  // the axes' own
  ASSERT_NE(own, std::string::npos);
  ASSERT_EQ(std::sscanf(svg.c_str() + own, "<rect x=\"%lf\" y=\"%*f\" width=\"%lf\"", &frame_x,
                        &frame_width),
            2);
  double line_x = 0;
  const std::size_t path = svg.rfind("<path d=\"M", svg.find("stroke:var(--c112233"));
  ASSERT_EQ(std::sscanf(svg.c_str() + path, "<path d=\"M%lf", &line_x), 1);
  EXPECT_NEAR(line_x, frame_x + frame_width / 2, 0.02);
}

TEST(SvgFigure, PowersOfTenAreRaised) {
  Figure figure = with({.kind = SeriesKind::points,
                        .label = "",
                        .colour = "#112233",
                        .x = values({1, 2}),
                        .y = values({1e-3, 1e4})});
  figure.y.log = true;
  const std::string svg = figure_svg(figure);
  EXPECT_NO_THROW(parse_xml(svg));
  EXPECT_CONTAINS(svg, "10<tspan");
  EXPECT_EQ(svg.find("^{"), std::string::npos);
}

TEST(SvgFigure, HeatMapsAndCategories) {
  Figure figure{.name = "heat", .x = {"x"}, .y = {"y"}};
  figure.heat = HeatMap{values({1, 2}), values({1, 2, 3}), Eigen::MatrixXd::Random(3, 2), "v"};
  EXPECT_NO_THROW(parse_xml(figure_svg(figure)));
  Figure named = with({.kind = SeriesKind::markers,
                       .label = "",
                       .colour = "#112233",
                       .x = values({1, 2}),
                       .y = values({1, 2})});
  named.categories = {"a very long name of a statistic, which needs room", "b"};
  const std::string svg = figure_svg(named);
  EXPECT_NO_THROW(parse_xml(svg));
  EXPECT_CONTAINS(svg, "which needs room");
}

TEST(SvgFigure, RefusesPartsThatDoNotFit) {
  const Figure figure = with({.kind = SeriesKind::band,
                              .label = "b",
                              .colour = "#112233",
                              .x = values({1, 2}),
                              .low = values({1}),
                              .high = values({1, 2})});
  EXPECT_CONTAINS(error_of(ErrorKind::usage, [&] { figure_svg(figure); }), "as many of each");
}

}  // namespace
}  // namespace epsfree
