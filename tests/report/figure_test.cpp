#include "report/drawing/figure_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>

#include "base/file.hpp"
#include "report/xml_text.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

using Eigen::VectorXd;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

VectorXd values(std::initializer_list<double> list) {
  return Eigen::Map<const VectorXd>(list.begin(), static_cast<Eigen::Index>(list.size()));
}

VectorXd one(double value) { return values({value}); }

/// One series of each kind.
Figure every_kind() {
  Figure figure;
  figure.name = "every-kind";
  figure.title = "Every kind";
  figure.caption = "One of each & all.";
  figure.x = {"θ₁"};
  figure.y = {"density"};
  const VectorXd x = values({1, 2, 3}), y = values({2, 1, 3});
  figure.series = {
      {SeriesKind::line, "a line", "#000000", x, y, {}, {}, true},
      {SeriesKind::points, "points", "#0072b2", x, y},
      {SeriesKind::markers, "markers", "#d55e00", x, y},
      {SeriesKind::histogram, "bars", "#009e73", x, y},
      {SeriesKind::intervals, "intervals", "#cc79a7", x, y, y.array() - 1, y.array() + 1},
      {SeriesKind::level, "level", "#e69f00", {}, one(2)},
      {SeriesKind::vertical, "vertical", "#56b4e9", one(2), {}}};
  return figure;
}

/// Draws it and returns the SVG.
std::string drawn(const Figure& figure) {
  const TemporaryDirectory directory;
  draw_figure(figure, directory.path(), PdfPrinter());
  EXPECT_EQ(read_file(directory.file(figure.name + ".pdf")).substr(0, 5), "%PDF-");
  EXPECT_EQ(read_file(directory.file(figure.name + ".csv")), figure_csv(figure));
  std::string svg = read_file(directory.file(figure.name + ".svg"));
  EXPECT_NO_THROW(parse_xml(svg));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 3);
  return svg;
}

std::vector<std::string> labels_in(const std::string& svg) {
  return texts_of(parse_xml(svg), "text");
}

/// Of circles, the first series' marker: lines of no length.
long count_markers(const std::string& svg) {
  long count = 0;
  const std::string use = "h0";
  for (std::size_t at = svg.find(use); at != std::string::npos; at = svg.find(use, at + 1)) ++count;
  return count;
}

/// Of a heat map: the filled rectangles inside the axes.
long count_cells(const std::string& svg) {
  const std::size_t begin = svg.find("clip-path=");
  const std::string inside = svg.substr(begin, svg.find("</g>", begin) - begin);
  long count = 0;
  for (std::size_t at = inside.find("<rect"); at != std::string::npos;
       at = inside.find("<rect", at + 1)) {
    ++count;
  }
  return count;
}

void expect_label(const std::vector<std::string>& labels, const std::string& label) {
  EXPECT_NE(std::find(labels.begin(), labels.end(), label), labels.end()) << label;
}

TEST(Figure, DrawsEveryKindWithItsLegend) {
  const Figure figure = every_kind();
  const std::vector<std::string> labels = labels_in(drawn(figure));
  for (const Series& series : figure.series) expect_label(labels, series.label);
  for (const char* label : {"Every kind", "θ₁", "density"}) expect_label(labels, label);
}

TEST(Figure, DrawsHeatMapsOnAnyGrid) {
  Figure figure;
  figure.name = "heat";
  figure.heat = HeatMap{values({1, 2, 3}), values({1, 2}), Eigen::MatrixXd::Random(2, 3), "p(θ)"};
  figure.heat->value(0, 1) = kNan;
  std::string svg = drawn(figure);
  expect_label(labels_in(svg), "p(θ)");
  EXPECT_EQ(svg.find("<image"), std::string::npos);  // no file of its own
  EXPECT_EQ(count_cells(svg), 5);
  figure.x.log = true;
  figure.heat->x = values({1, 5, 100});
  svg = drawn(figure);
  expect_label(labels_in(svg), "p(θ)");
  EXPECT_EQ(count_cells(svg), 5);
  figure.heat->value.setConstant(kNan);
  EXPECT_EQ(count_cells(drawn(figure)), 0);
}

TEST(Figure, HasATextAlternative) {
  const Figure figure = every_kind();
  const auto svg = parse_xml(drawn(figure)).get_child("svg");
  EXPECT_EQ(svg.get<std::string>("<xmlattr>.role"), "img");
  EXPECT_EQ(svg.get<std::string>("title"), "Every kind");
  EXPECT_EQ(svg.get<std::string>("desc"), "One of each & all.");
  EXPECT_EQ(svg.count("title"), 1u);
}

TEST(Figure, SpecialCharactersMeanThemselves) {
  const std::string awkward = R"(a_b^2 {c} & <d> 'e' "f" \g @h ~i %d `j` &lt; $k #)";
  Figure figure = every_kind();
  figure.title = "title " + awkward;
  figure.x.label = "x " + awkward;
  figure.y.label = "y " + awkward;
  figure.series[0].label = "line " + awkward;
  figure.series[4].label = "interval " + awkward;
  figure.categories = {"first " + awkward, "50%", "third"};
  const std::vector<std::string> labels = labels_in(drawn(figure));
  for (const char* start : {"title ", "x ", "y ", "line ", "interval ", "first "}) {
    expect_label(labels, start + awkward);
  }
  expect_label(labels, "50%");
}

TEST(Figure, TextsCannotBreakTheFile) {
  Figure figure = every_kind();
  figure.title = "a\n</title></svg>\n\x01]]>";
  figure.series[0].label = "not UTF-8: \xff";
  const std::vector<std::string> labels = labels_in(drawn(figure));
  expect_label(labels, "not UTF-8: \uFFFD");
}

TEST(Figure, LeavesOutWhatCannotBeShown) {
  Figure figure;
  figure.name = "holes";
  figure.y.log = true;
  const VectorXd x = values({1, 2, 3, 4, 5, 6, kNan}),
                 y = values({1, kNan, 3, kInfinity, 0, -1, 7});
  figure.series = {{SeriesKind::markers, "", "#0072b2", x, y}};
  EXPECT_EQ(count_markers(drawn(figure)), 2);
  figure.series[0].kind = SeriesKind::points;
  EXPECT_EQ(count_markers(drawn(figure)), 2);
  // An interval without its ends is a marker alone.
  figure.series[0].kind = SeriesKind::intervals;
  figure.series[0].low = figure.series[0].high = VectorXd::Constant(7, kNan);
  EXPECT_EQ(count_markers(drawn(figure)), 2);
}

TEST(Figure, EmptySeriesDoNotBreakIt) {
  Figure figure = every_kind();
  figure.series[6].label = "";
  for (Series& series : figure.series) series.x = series.y = series.low = series.high = VectorXd();
  const std::vector<std::string> labels = labels_in(drawn(figure));
  EXPECT_EQ(std::count(labels.begin(), labels.end(), "points"), 0);
  figure.series.clear();
  figure.x.log = figure.y.log = true;
  drawn(figure);
}

TEST(Figure, DegenerateDataAreDrawn) {
  Figure figure = every_kind();
  for (Series& series : figure.series) {
    series.x = one(0);
    series.y = one(0);
    series.low = series.high = one(0);
  }
  drawn(figure);
}

TEST(Figure, TheSameFigureIsTheSameFiles) {
  const TemporaryDirectory first, second;
  draw_figure(every_kind(), first.path(), PdfPrinter());
  draw_figure(every_kind(), second.path(), PdfPrinter());
  for (const char* ending : {"svg", "pdf", "csv"}) {
    const std::string name = std::string("every-kind.") + ending;
    EXPECT_EQ(read_file(first.file(name)), read_file(second.file(name))) << name;
  }
  EXPECT_CONTAINS(read_file(first.file("every-kind.pdf")), "20000101000000");
}

TEST(Figure, EverySeriesIsInThePdf) {
  const TemporaryDirectory directory;
  const auto pdf_of = [&](const Figure& figure) {
    draw_figure(figure, directory.path(), PdfPrinter());
    return read_file(directory.file(figure.name + ".pdf"));
  };
  // Without labels, so that the pictures have one size.
  Figure all = every_kind();
  for (Series& series : all.series) series.label = "";
  const std::string whole = pdf_of(all);
  EXPECT_CONTAINS(whole, "/MediaBox [ 0 0 480 348 ]");
  for (std::size_t i = 0; i < all.series.size(); ++i) {
    Figure fewer = all;
    fewer.series.erase(fewer.series.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(pdf_of(fewer), whole) << i;
  }
}

TEST(Figure, RefusesWhatIsWrong) {
  const auto message = [](auto change) {
    Figure figure = every_kind();
    change(figure);
    return error_of(ErrorKind::usage, [&] { draw_figure(figure, "/nowhere", PdfPrinter()); });
  };
  EXPECT_CONTAINS(message([](Figure& f) { f.name = "../up"; }), "letters, digits and hyphens");
  EXPECT_CONTAINS(message([](Figure& f) { f.name = ""; }), "letters, digits and hyphens");
  EXPECT_CONTAINS(message([](Figure& f) { f.series[0].y = one(1); }), "3 x and 1 y");
  EXPECT_CONTAINS(message([](Figure& f) { f.series[4].low = one(1); }), "1 low and 3 high");
  EXPECT_CONTAINS(message([](Figure& f) { f.series[1].colour = "red'"; }), "#1f77b4");
  EXPECT_CONTAINS(message([](Figure& f) { f.heat = HeatMap{one(1), one(2), {}, ""}; }), "0 x 0");
  EXPECT_CONTAINS(message([](Figure& f) { f.x.low = 1; }), "from 1 to nothing");
}

TEST(Figure, SaysWhichFileCannotBeWritten) {
  const TemporaryDirectory directory;
  const std::string missing = directory.file("missing");
  EXPECT_CONTAINS(
      error_of(ErrorKind::io, [&] { draw_figure(every_kind(), missing, PdfPrinter()); }),
      missing + "/every-kind.svg");
}

TEST(FigureCsv, NumbersReadBackExactly) {
  Figure figure;
  figure.name = "numbers";
  const VectorXd x = values({0.1, 1e-300, -1.0 / 3, kNan}), y = values({kInfinity, 2, M_PI, 1e22});
  figure.series = {{SeriesKind::line, "a, \"b\"", "", x, y}};
  std::istringstream lines(figure_csv(figure));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "series,x,y,low,high");
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    const std::string label = "\"a, \"\"b\"\"\",";
    ASSERT_EQ(line.substr(0, label.size()), label);
    char* rest = nullptr;
    const double read_x = std::strtod(line.c_str() + label.size(), &rest);
    const double read_y = std::strtod(rest + 1, &rest);
    EXPECT_TRUE(read_x == x[i] || (std::isnan(read_x) && std::isnan(x[i]))) << line;
    EXPECT_EQ(read_y, y[i]);
    EXPECT_STREQ(rest, ",,");
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(FigureCsv, HasTheColumnsThatTheFigureNeeds) {
  Figure figure;
  figure.name = "columns";
  EXPECT_EQ(figure_csv(figure), "series,x,y,low,high\n");
  figure.heat = HeatMap{values({1, 2}), one(3), Eigen::MatrixXd::Constant(1, 2, 0.5), "p"};
  EXPECT_EQ(figure_csv(figure), "x,y,value\n1,3,0.5\n2,3,0.5\n");
  figure.series = {{SeriesKind::level, "level", "", {}, one(4)},
                   {SeriesKind::vertical, "vertical", "", one(5), {}},
                   {SeriesKind::intervals, "bar", "", one(1.9), one(7), one(8), one(9)}};
  figure.categories = {"first", "second"};
  EXPECT_EQ(figure_csv(figure),
            "series,x,y,low,high,value,category\n"
            "p,1,3,,,0.5,\np,2,3,,,0.5,\n"
            "level,,4,,,,\nvertical,5,,,,,\nbar,1.9,7,8,9,,second\n");
}

}  // namespace
}  // namespace epsfree
