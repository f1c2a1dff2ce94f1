#include "report/drawing/svg_figure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <set>

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

/// The numbers of the first path that is stroked or filled with this colour.
std::vector<double> path_numbers(const std::string& svg, const std::string& colour) {
  const std::size_t path = svg.rfind("<path", svg.find(":" + colour));
  const std::size_t begin = svg.find(" d=\"", path) + 4, end = svg.find('"', begin);
  std::vector<double> numbers;
  for (const char* at = svg.c_str() + begin; at < svg.c_str() + end;) {
    char* rest = nullptr;
    const double number = std::strtod(at, &rest);
    if (rest == at) {
      ++at;
    } else {
      numbers.push_back(number);
      at = rest;
    }
  }
  return numbers;
}

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

/// All rectangles that begin like this.
std::vector<Box> boxes(const std::string& svg, const std::string& end) {
  std::vector<Box> all;
  for (std::size_t at = svg.find("<rect x="); at != std::string::npos;
       at = svg.find("<rect x=", at + 1)) {
    Box box;
    std::sscanf(svg.c_str() + at, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &box.x,
                &box.y, &box.width, &box.height);
    if (svg.substr(at, svg.find("/>", at) - at).find(end) != std::string::npos) all.push_back(box);
  }
  return all;
}

/// From 1 to 8 on both axes.
std::string file_of(Series series) {
  Figure figure = with(std::move(series));
  figure.x.low = figure.y.low = 1;
  figure.x.high = figure.y.high = 8;
  return figure_svg(figure, SvgPlace::file);
}

TEST(SvgFigure, AFileStandsOnItsOwn) {
  const std::string svg = file_of({.kind = SeriesKind::points,
                                   .label = "s",
                                   .colour = "#112233",
                                   .x = values({1, 2}),
                                   .y = values({1, 2})});
  EXPECT_NO_THROW(parse_xml(svg));
  EXPECT_EQ(svg.find("<?xml"), 0u);
  EXPECT_CONTAINS(svg, "width=\"480\" height=\"366\"");
  EXPECT_CONTAINS(svg, "font-family=");
  EXPECT_CONTAINS(svg, "<rect width=\"480\" height=\"366\" fill=\"#ffffff\"/>");
  EXPECT_CONTAINS(svg, "stroke:#112233");
  // What stands in a page only.
  for (const char* page : {"var(", "class=", "currentColor"}) {
    EXPECT_EQ(svg.find(page), std::string::npos) << page;
  }
}

TEST(SvgFigure, LevelsAndVerticalsGoFromEdgeToEdge) {
  const std::string level =
      file_of({.kind = SeriesKind::level, .label = "", .colour = "#112233", .y = values({4.5})});
  const Box axes = boxes(level, "stroke").front();
  const std::vector<double> across = path_numbers(level, "#112233");
  ASSERT_EQ(across.size(), 4u);
  EXPECT_NEAR(across[0], axes.x, 0.02);
  EXPECT_NEAR(across[2], axes.x + axes.width, 0.02);
  EXPECT_NEAR(across[1], axes.y + axes.height / 2, 0.02);
  EXPECT_EQ(across[1], across[3]);
  const std::string vertical =
      file_of({.kind = SeriesKind::vertical, .label = "", .colour = "#112233", .x = values({4.5})});
  const std::vector<double> down = path_numbers(vertical, "#112233");
  ASSERT_EQ(down.size(), 4u);
  EXPECT_NEAR(down[1], axes.y, 0.02);
  EXPECT_NEAR(down[3], axes.y + axes.height, 0.02);
  EXPECT_EQ(down[0], down[2]);
}

TEST(SvgFigure, DashesColoursAndLabelsAreTheSeries) {
  Series series{.kind = SeriesKind::line,
                .label = "it's ^{not} raised",
                .colour = "#112233",
                .x = values({1, 2}),
                .y = values({1, 2})};
  EXPECT_EQ(file_of(series).find("stroke-dasharray"), std::string::npos);
  series.dashed = true;
  // In the axes and in the legend.
  EXPECT_EQ(count(file_of(series), "stroke:#112233\" stroke-width=\"1.8\" stroke-dasharray"), 2u);
  const auto texts = texts_of(parse_xml(file_of(series)), "text");
  EXPECT_NE(std::find(texts.begin(), texts.end(), series.label), texts.end());
}

TEST(SvgFigure, BarsHaveOneWidthAndStandOnZero) {
  Figure figure = with({.kind = SeriesKind::histogram,
                        .label = "",
                        .colour = "#112233",
                        .x = values({2, 2.5, 3.5}),
                        .y = values({1, 2, -1})});
  const std::vector<Box> bars = boxes(figure_svg(figure, SvgPlace::file), "fill:#112233");
  ASSERT_EQ(bars.size(), 3u);
  EXPECT_NEAR(bars[0].width, bars[1].width, 0.02);
  EXPECT_NEAR(bars[0].width, bars[2].width, 0.02);
  EXPECT_NEAR(bars[1].height, 2 * bars[0].height, 0.03);
  EXPECT_NEAR(bars[0].y + bars[0].height, bars[1].y + bars[1].height, 0.02);
  EXPECT_NEAR(bars[2].y, bars[0].y + bars[0].height, 0.02);
}

TEST(SvgFigure, SeriesHaveMarkersOfTheirOwn) {
  Figure figure{.name = "f", .x = {}, .y = {}};
  for (int i = 0; i < 7; ++i) {
    figure.series.push_back({.kind = SeriesKind::markers,
                             .label = "",
                             .colour = "#11223" + std::to_string(i),
                             .x = values({1}),
                             .y = values({1})});
  }
  const std::string svg = figure_svg(figure, SvgPlace::file);
  std::set<std::vector<double>> shapes;
  for (const Series& series : figure.series) shapes.insert(path_numbers(svg, series.colour));
  EXPECT_EQ(shapes.size(), 7u);
}

TEST(SvgFigure, HeatMapsHaveTheirColoursAndAScaleOfThem) {
  Figure figure{.name = "heat", .x = {}, .y = {}};
  Eigen::MatrixXd value(2, 3);
  value << 0, 0, 1, 0.5, kNaN, 1;
  figure.heat = HeatMap{values({1, 2, 3}), values({1, 2}), value, "p(θ)"};
  const std::string svg = figure_svg(figure, SvgPlace::file);
  const std::string inside = svg.substr(0, svg.find("</g>"));
  // Lowest and highest value; neighbours of one colour are one rectangle.
  const std::vector<Box> low = boxes(inside, "fill:#440154"), high = boxes(inside, "fill:#fde725");
  ASSERT_EQ(low.size(), 1u);
  ASSERT_EQ(high.size(), 2u);
  const Box axes = boxes(svg, "stroke").front();
  EXPECT_NEAR(low[0].x, axes.x, 0.02);
  EXPECT_NEAR(low[0].width, axes.width * 2 / 3, 1.02);
  EXPECT_NEAR(low[0].y + low[0].height, axes.y + axes.height, 0.02);
  EXPECT_NEAR(high[1].x, axes.x + axes.width * 2 / 3, 0.02);
  // Nothing reaches under the cell that is left out.
  EXPECT_NEAR(low[0].y, axes.y + axes.height / 2, 0.02);
  const auto texts = texts_of(parse_xml(svg), "text");
  for (const char* label : {"0", "0.2", "1", "p(θ)"}) {
    EXPECT_NE(std::find(texts.begin(), texts.end(), label), texts.end()) << label;
  }
  // The scale is beside the axes, and in the picture.
  const Box scale = boxes(svg, "stroke")[1];
  EXPECT_GT(scale.x, axes.x + axes.width);
  EXPECT_LT(scale.x + scale.width, 480 - 20);
}

TEST(SvgFigure, LogarithmicAxesHaveMinorTicksAndLabelsThatAreNotCutOff) {
  Figure figure = with({.kind = SeriesKind::line,
                        .label = "",
                        .colour = "#112233",
                        .x = values({1e-2, 1}),
                        .y = values({1e-2, 1})});
  figure.x.log = figure.y.log = true;
  figure.x.low = figure.y.low = 1e-2;
  figure.x.high = figure.y.high = 1;
  figure.y.label = std::string(80, 'y');
  const std::string svg = figure_svg(figure, SvgPlace::file);
  EXPECT_EQ(count(svg, ">10<tspan"), 6u);
  // Each axis: three powers, each with a tick and a line of the grid, and 2 to 9 between them.
  EXPECT_EQ(count(svg, "stroke:#57606a\" stroke-width=\"1\"/>"), 2 * (3 + 16) + 1u);
  EXPECT_EQ(count(svg, "stroke:#d0d7de"), 6u);
  // Long labels are smaller.
  EXPECT_EQ(svg.find("font-size=\"12\">yyy"), std::string::npos);
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
