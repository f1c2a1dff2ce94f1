#include "report/figure.hpp"

#include <algorithm>
#include <cctype>

#include "base/file.hpp"
#include "base/number_text.hpp"
#include "epsfree/error.hpp"
#include "report/gnuplot.hpp"
#include "report/gnuplot_script.hpp"
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

/// Gnuplot's own title and description give way to the figure's, for those who cannot see it.
std::string with_text_alternative(std::string svg, const Figure& figure) {
  const std::size_t start = svg.find("<svg");
  const std::size_t end = start == std::string::npos ? start : svg.find('>', start);
  if (end == std::string::npos) throw Error(ErrorKind::io, "gnuplot failed: it made no SVG");
  for (const std::string element : {"title", "desc"}) {
    const std::size_t open = svg.find("<" + element + ">", end);
    const std::string close = "</" + element + ">";
    // Only its own, at the top: there are titles of series further down.
    if (open == std::string::npos || open > svg.find("<g", end)) continue;
    svg.erase(open, svg.find(close, open) + close.size() - open);
  }
  const std::string& title = figure.title.empty() ? figure.name : figure.title;
  svg.insert(end + 1, "\n<title id=\"" + figure.name + "-title\">" + escape_markup(title) +
                          "</title>\n<desc id=\"" + figure.name + "-desc\">" +
                          escape_markup(figure.caption) + "</desc>");
  svg.insert(end, " role=\"img\" aria-labelledby=\"" + figure.name +
                      "-title\" aria-describedby=\"" + figure.name + "-desc\"");
  return svg;
}

/// The same figure is the same file: the time of making goes. Its place has the same number of
/// bytes, as the file's table of contents counts them.
std::string without_date(std::string pdf) {
  const std::string key = "/CreationDate (D:";
  const std::size_t start = pdf.find(key);
  if (start == std::string::npos) return pdf;
  for (std::size_t i = start + key.size(), digits = 0; i < pdf.size() && digits < 14;
       ++i, ++digits) {
    if (std::isdigit(static_cast<unsigned char>(pdf[i])) == 0) break;
    pdf[i] = "20000101000000"[digits];
  }
  return pdf;
}

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

void draw_figure(const Figure& figure, const std::string& directory) {
  check_figure(figure);
  const std::string svg = run_gnuplot(gnuplot_script(figure, PictureFormat::svg));
  const std::string pdf = run_gnuplot(gnuplot_script(figure, PictureFormat::pdf));
  if (!pdf.starts_with("%PDF")) throw Error(ErrorKind::io, "gnuplot failed: it made no PDF");
  const std::string path = directory + "/" + figure.name;
  write_file_atomically(path + ".svg", with_text_alternative(svg, figure), Durability::none);
  write_file_atomically(path + ".pdf", without_date(pdf), Durability::none);
  write_file_atomically(path + ".csv", figure_csv(figure), Durability::none);
}

}  // namespace epsfree
