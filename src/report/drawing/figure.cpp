#include "report/drawing/figure.hpp"

#include <algorithm>
#include <cctype>

#include "base/number_text.hpp"
#include "epsfree/error.hpp"
#include "report/markup.hpp"

namespace epsfree {
namespace {

[[noreturn]] void refuse(const Figure& figure, const std::string& what) {
  throw Error(ErrorKind::usage, "figure '" + figure.name + "': " + what);
}

bool is_ascii_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_colour(const std::string& text) {
  return text.size() == 7 && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

void check_series(const Figure& figure, const Series& series) {
  const std::string name = "series '" + series.label + "' ";
  if (!series.colour.empty() && !is_colour(series.colour)) {
    refuse(figure, name + "has the colour '" + series.colour + "'; it must be like #1f77b4");
  }
  if (series.kind == SeriesKind::level || series.kind == SeriesKind::vertical) return;
  const bool band = series.kind == SeriesKind::band;
  const bool intervals = band || series.kind == SeriesKind::intervals;
  if ((series.x.size() != series.y.size() && !(band && series.y.size() == 0)) ||
      (intervals &&
       (series.low.size() != series.x.size() || series.high.size() != series.x.size()))) {
    refuse(figure, name + "has " + std::to_string(series.x.size()) + " x and " +
                       std::to_string(series.y.size()) + " y" +
                       (intervals ? ", " + std::to_string(series.low.size()) + " low and " +
                                        std::to_string(series.high.size()) + " high"
                                  : "") +
                       "; there must be as many of each");
  }
}

}  // namespace

void check_figure(const Figure& figure) {
  if (figure.name.empty() || !std::all_of(figure.name.begin(), figure.name.end(), [](char c) {
        return is_ascii_letter_or_digit(c) || c == '-';
      })) {
    refuse(figure, "its name must be of letters, digits and hyphens");
  }
  if (figure.heat && (figure.heat->value.rows() != figure.heat->y.size() ||
                      figure.heat->value.cols() != figure.heat->x.size())) {
    refuse(figure, "the heat map is " + std::to_string(figure.heat->value.rows()) + " x " +
                       std::to_string(figure.heat->value.cols()) + " over " +
                       std::to_string(figure.heat->y.size()) + " y and " +
                       std::to_string(figure.heat->x.size()) +
                       " x; it must have a row for each y "
                       "and a column for each x");
  }
  for (const Series& series : figure.series) check_series(figure, series);
}

namespace {

/// The columns that a figure's table has.
struct CsvColumns {
  bool series = false, value = false, category = false;
};

std::string entry(const Eigen::VectorXd& values, Eigen::Index i) {
  return i < values.size() ? number_text(values[i]) : "";
}

std::string series_lines(const Figure& figure, const Series& series, const CsvColumns& columns) {
  const bool single = series.kind == SeriesKind::level || series.kind == SeriesKind::vertical;
  const Eigen::Index most = std::max(series.x.size(), series.y.size());
  const Eigen::Index count = single ? std::min<Eigen::Index>(1, most) : most;
  static const Eigen::VectorXd kNone;
  const bool intervals = series.kind == SeriesKind::intervals || series.kind == SeriesKind::band;
  std::string lines;
  for (Eigen::Index i = 0; i < count; ++i) {
    lines += csv_text(series.label) + "," +
             entry(series.kind == SeriesKind::level ? kNone : series.x, i) + "," +
             entry(series.kind == SeriesKind::vertical ? kNone : series.y, i) + "," +
             entry(intervals ? series.low : kNone, i) + "," +
             entry(intervals ? series.high : kNone, i);
    if (columns.value) lines += ",";
    if (columns.category) {
      const double x = i < series.x.size() ? series.x[i] : 0;
      const bool named = x >= 0.5 && x < static_cast<double>(figure.categories.size()) + 0.5;
      lines +=
          "," + (named ? csv_text(figure.categories[static_cast<std::size_t>(x + 0.5) - 1]) : "");
    }
    lines += "\n";
  }
  return lines;
}

std::string heat_lines(const HeatMap& heat, const CsvColumns& columns) {
  std::string lines;
  for (Eigen::Index i = 0; i < heat.y.size(); ++i) {
    for (Eigen::Index j = 0; j < heat.x.size(); ++j) {
      const std::string place = number_text(heat.x[j]) + "," + number_text(heat.y[i]);
      const std::string value = "," + number_text(heat.value(i, j));
      lines += columns.series ? csv_text(heat.label) + "," + place + ",," + value +
                                    (columns.category ? "," : "")
                              : place + value;
      lines += "\n";
    }
  }
  return lines;
}

}  // namespace

std::string figure_csv(const Figure& figure) {
  check_figure(figure);
  CsvColumns columns;
  columns.value = figure.heat.has_value();
  columns.series = !figure.series.empty() || !columns.value;
  columns.category = columns.series && !figure.categories.empty();
  std::string text = columns.series
                         ? std::string("series,x,y,low,high") + (columns.value ? ",value" : "") +
                               (columns.category ? ",category" : "") + "\n"
                         : "x,y,value\n";
  if (figure.heat) text += heat_lines(*figure.heat, columns);
  for (const Series& series : figure.series) text += series_lines(figure, series, columns);
  return text;
}

}  // namespace epsfree
