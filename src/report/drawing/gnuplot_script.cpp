#include "report/drawing/gnuplot_script.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number_text.hpp"
#include "report/drawing/figure_layout.hpp"
#include "report/drawing/figure_scale.hpp"
#include "report/drawing/palette.hpp"
#include "report/markup.hpp"

namespace epsfree {
namespace {

constexpr double kColourScale = 70;  // the colour scale with its own label, but not its ticks'
constexpr double kColourLabel = 14;  // from the right edge to the middle of that label
constexpr double kPointsPerInch = 72;

constexpr int kMarkers[] = {7, 5, 9, 13, 11, 6, 4, 8};

/// Single quotes: gnuplot substitutes nothing in them. Every text is told not to be `enhanced`, so
/// that no character means anything but itself.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : clean_text(text)) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

/// A place in points as a part of the picture.
std::string across(double x) { return number_text(x / kFigureWidth); }
std::string upwards(double y, const FigureLayout& layout) { return number_text(y / layout.height); }

std::string terminal(const FigureLayout& layout, PictureFormat format) {
  if (format == PictureFormat::svg) {
    return "set terminal svg enhanced standalone size " + number_text(kFigureWidth) + "," +
           number_text(layout.height) + " font 'sans-serif,12' background '#ffffff'\n";
  }
  // The factors make lines, markers and text as large as in the SVG.
  return "set terminal pdfcairo enhanced color size " + number_text(kFigureWidth / kPointsPerInch) +
         "in," + number_text(layout.height / kPointsPerInch) +
         "in font 'sans,12' fontscale 0.75 linewidth 1.9 pointscale 1.55 dashlength 1.8 "
         "background '#ffffff'\n";
}

std::string log_tick_list(const Range& range) {
  std::string list;
  for (const Tick& tick : log_ticks(range)) {
    list += (list.empty() ? "" : ", ") + quoted(tick.label) + " " + number_text(tick.value) +
            (tick.label.empty() ? " 1" : "");
  }
  return list;
}

/// As labels: gnuplot cuts the texts of ticks after fifty bytes.
std::string category_ticks(const Figure& figure, const FigureLayout& layout) {
  std::string list, labels;
  const double height = layout.axes_low - (layout.rotated_categories ? 10 : 14);
  for (std::size_t i = 0; i < figure.categories.size(); ++i) {
    const std::string place = std::to_string(i + 1);
    list += (i > 0 ? ", '' " : "'' ") + place;
    labels += "set label " + quoted(figure.categories[i]) + " noenhanced at first " + place +
              ", screen " + upwards(height, layout) +
              (layout.rotated_categories ? " right rotate by 35\n" : " centre\n");
  }
  return "set xtics scale 0 (" + list + ")\n" + labels;
}

std::string axis_lines(const Axis& axis, const Range& range, const std::string& name) {
  std::string text =
      "set " + name + "range [" + number_text(range.low) + ":" + number_text(range.high) + "]\n";
  if (axis.log) {
    text += "set logscale " + name + " 10\n";
    text += "set " + name + "tics nomirror out scale 0.8,0.4 (" + log_tick_list(range) + ")\n";
  } else {
    text += "set " + name + "tics nomirror out scale 0.8\n";
  }
  return text;
}

std::string look(const Figure& figure, const FigureLayout& layout) {
  std::string text =
      "set encoding utf8\n"
      "set minussign\n"
      "set format '%h'\n"
      "set border " +
      std::string(figure.heat ? "15" : "3") +
      " lw 0.8 lc rgb '#444444'\n"
      "set grid xtics ytics back lt 1 lw 0.5 lc rgb '#dcdcdc'\n"
      "set errorbars 1.0\n"
      "set bmargin at screen " +
      upwards(layout.axes_low, layout) + "\nset tmargin at screen " +
      upwards(layout.axes_high, layout) + "\n";
  if (!figure.title.empty()) {
    text += "set label 1 " + quoted(figure.title) + " noenhanced at graph 0.5, screen " +
            upwards((layout.axes_high + layout.height) / 2, layout) + " centre\n";
  }
  if (!figure.x.label.empty()) {
    text += "set label 2 " + quoted(figure.x.label) + " noenhanced at graph 0.5, screen " +
            upwards(layout.x_label, layout) + " centre\n";
  }
  if (!figure.y.label.empty()) text += "set ylabel " + quoted(figure.y.label) + " noenhanced\n";
  return text + "unset key\n";
}

/// Lines of numbers between two marks, under a name.
std::string data_block(const std::string& name, const std::string& lines) {
  return name + " << EOD\n" + lines + "EOD\n";
}

std::string row(std::initializer_list<double> numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : " ") + number_text(number);
  return text + "\n";
}

/// A missing point interrupts a line, which an empty row says.
std::string point_rows(const Series& series, const Figure& figure) {
  const double width = 2 * half_bar_width(series.x);
  std::string lines;
  bool gap = false;
  for (Eigen::Index i = 0; i < series.x.size(); ++i) {
    const bool band = series.kind == SeriesKind::band;
    const double x = series.x[i], y = band ? 0 : series.y[i];
    if (band ? !band_is_shown(series, figure, i)
             : !can_be_shown(x, figure.x.log) || !can_be_shown(y, figure.y.log)) {
      gap = !lines.empty();
      continue;
    }
    if (gap) lines += "\n";
    gap = false;
    if (series.kind == SeriesKind::histogram) {
      lines += row({x, y, width});
    } else if (band) {
      lines += row({x, series.low[i], series.high[i]});
    } else if (series.kind == SeriesKind::intervals) {
      const bool bar =
          can_be_shown(series.low[i], figure.y.log) && can_be_shown(series.high[i], figure.y.log);
      lines += row({x, y, bar ? series.low[i] : y, bar ? series.high[i] : y});
    } else {
      lines += row({x, y});
    }
  }
  return lines;
}

std::string series_rows(const Series& series, const Figure& figure, const Ranges& ranges) {
  if (series.kind == SeriesKind::level) {
    return row({ranges.x.low, series.y[0]}) + row({ranges.x.high, series.y[0]});
  }
  if (series.kind == SeriesKind::vertical) {
    return row({series.x[0], ranges.y.low}) + row({series.x[0], ranges.y.high});
  }
  return point_rows(series, figure);
}

/// Many markers are small, so that they show where they are dense.
double marker_size(const Series& series) {
  const Eigen::Index n = series.x.size();
  return n <= 60 ? 0.6 : n <= 400 ? 0.4 : 0.22;
}

bool has_marker(const Series& series) {
  return series.kind == SeriesKind::points || series.kind == SeriesKind::markers ||
         series.kind == SeriesKind::intervals;
}

/// How each series is drawn, in the axes and in the legend.
struct Style {
  std::string colour, line, point;
};

std::vector<Style> styles_of(const Figure& figure) {
  std::vector<Style> styles;
  std::size_t marker = 0;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    Style style;
    style.colour = "rgb " + quoted(series.colour.empty() ? kColours[i % std::size(kColours)].light
                                                         : series.colour);
    const std::string dash = series.kind == SeriesKind::vertical    ? "(5,4)"
                             : series.dashed && !has_marker(series) ? "(8,5)"
                                                                    : "solid";
    const char* width = series.kind == SeriesKind::line     ? "1.8"
                        : series.kind == SeriesKind::points ? "0.9"
                                                            : "1.4";
    style.line = std::string(" lw ") + width + " dt " + dash + " lc " + style.colour;
    style.point = " pt " + std::to_string(kMarkers[marker % std::size(kMarkers)]) + " ps " +
                  number_text(marker_size(series));
    if (has_marker(series)) ++marker;
    styles.push_back(style);
  }
  return styles;
}

std::string drawn_with(SeriesKind kind, const Style& style) {
  switch (kind) {
    case SeriesKind::line:
    case SeriesKind::level:
    case SeriesKind::vertical:
      return "using 1:2 with lines" + style.line;
    case SeriesKind::points:
      return "using 1:2 with linespoints" + style.line + style.point;
    case SeriesKind::markers:
      return "using 1:2 with points" + style.point + " lc " + style.colour;
    case SeriesKind::intervals:
      return "using 1:2:3:4 with yerrorbars" + style.line + style.point;
    case SeriesKind::histogram:
      return "using 1:2:3 with boxes fillstyle transparent solid 0.35 border lw 0.7 lc " +
             style.colour;
    case SeriesKind::band:
      return "using 1:2:3 with filledcurves fillstyle transparent solid 0.2 noborder lc " +
             style.colour;
  }
  return "";
}

std::string legend_lines(const Figure& figure, const FigureLayout& layout,
                         const std::vector<Style>& styles) {
  const auto place = [&](double x, double y) {
    return "screen " + across(x) + ", screen " + upwards(y, layout);
  };
  std::string text;
  for (const LegendEntry& entry : layout.legend) {
    const Series& series = figure.series[entry.series];
    const Style& style = styles[entry.series];
    const double end = entry.x + kLegendSampleWidth;
    if (series.kind == SeriesKind::histogram || series.kind == SeriesKind::band) {
      text += "set object rectangle from " + place(entry.x, entry.y - 5) + " to " +
              place(end, entry.y + 5) + " front fillcolor " + style.colour +
              " fillstyle transparent solid 0.35 border lc " + style.colour + " lw 0.7\n";
    } else if (series.kind != SeriesKind::markers) {
      text += "set arrow from " + place(entry.x, entry.y) + " to " + place(end, entry.y) +
              " nohead front" + style.line + "\n";
    }
    if (has_marker(series)) {
      text += "set label '' at " + place((entry.x + end) / 2, entry.y) + " front point" +
              style.point + " lc " + style.colour + "\n";
    }
    text += "set label " + quoted(series.label) + " noenhanced at " + place(end + 8, entry.y) +
            " left front\n";
  }
  return text;
}

bool evenly_spaced(const Eigen::VectorXd& values) {
  const Eigen::Index n = values.size();
  if (n < 2) return false;
  const double step = (values[n - 1] - values[0]) / static_cast<double>(n - 1);
  for (Eigen::Index i = 1; i < n; ++i) {
    if (std::abs(values[i] - values[i - 1] - step) > 1e-6 * std::abs(step)) return false;
  }
  return step != 0;
}

/// An image only if its cells are all alike on the paper; else one rectangle per cell.
bool is_image(const Figure& figure) {
  return !figure.x.log && !figure.y.log && evenly_spaced(figure.heat->x) &&
         evenly_spaced(figure.heat->y);
}

std::string heat_rows(const Figure& figure) {
  const HeatMap& heat = *figure.heat;
  const Eigen::VectorXd columns = cell_edges(heat.x, figure.x.log);
  const Eigen::VectorXd rows = cell_edges(heat.y, figure.y.log);
  const bool image = is_image(figure);
  std::string lines;
  for (Eigen::Index i = 0; i < heat.y.size(); ++i) {
    for (Eigen::Index j = 0; j < heat.x.size(); ++j) {
      const double value = heat.value(i, j);
      if (image) {
        // The image needs all of its cells; NaN is one that is not painted.
        lines += number_text(heat.x[j]) + " " + number_text(heat.y[i]) + " " +
                 (std::isfinite(value) ? number_text(value) : "NaN") + "\n";
      } else if (std::isfinite(value)) {
        lines +=
            row({heat.x[j], heat.y[i], columns[j], columns[j + 1], rows[i], rows[i + 1], value});
      }
    }
  }
  return lines;
}

/// Viridis (van der Walt and Smith), which is perceptually uniform and reads well in grey.
std::string palette(const HeatMap& heat) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : heat.value.reshaped()) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low <= high)) low = 0, high = 1;
  if (low == high) high = low + (low == 0 ? 1 : std::abs(low));
  std::string list;
  std::size_t longest = 0;
  for (const Tick& tick : linear_ticks({low, high})) {
    list += (list.empty() ? "" : ", ") + quoted(tick.label) + " " + number_text(tick.value);
    longest = std::max(longest, text_length(tick.label));
  }
  // Gnuplot keeps too little room for the ticks' labels: the scale's own would stand on them.
  const double room = kCharacterWidth * static_cast<double>(longest);
  std::string text =
      "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', "
      "5 '#27ad81', 6 '#5cc863', 7 '#aadc32', 8 '#fde725')\n"
      "set cbtics scale 0.5 (" +
      list + ")\nset cbrange [" + number_text(low) + ":" + number_text(high) +
      "]\n"
      "set rmargin at screen " +
      across(kFigureWidth - kColourScale - room) + "\n";
  if (heat.label.empty()) return text;
  // From the middle of the scale, whatever room gnuplot would keep.
  text += "set label 3 " + quoted(heat.label) + " noenhanced at screen " +
          across(kFigureWidth - kColourLabel) + ", graph 0.5 centre rotate by 90\n";
  return text;
}

}  // namespace

std::string gnuplot_script(const Figure& figure, PictureFormat format) {
  const Ranges ranges = figure_ranges(figure);
  const FigureLayout layout = figure_layout(figure);
  std::string script = terminal(layout, format) + look(figure, layout) +
                       axis_lines(figure.x, ranges.x, "x") + axis_lines(figure.y, ranges.y, "y");
  if (!figure.categories.empty()) script += category_ticks(figure, layout);

  std::vector<std::string> plots;
  if (figure.heat && figure.heat->value.array().isFinite().any()) {
    script += palette(*figure.heat) + data_block("$heat", heat_rows(figure));
    plots.push_back(is_image(figure)
                        ? "$heat using 1:2:3 with image notitle"
                        : "$heat using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid noborder "
                          "fillcolor palette notitle");
  }
  const std::vector<Style> styles = styles_of(figure);
  script += legend_lines(figure, layout, styles);
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    if (!is_shown(series, figure)) continue;
    const std::string name = "$series" + std::to_string(i + 1);
    script += data_block(name, series_rows(series, figure, ranges));
    plots.push_back(name + " " + drawn_with(series.kind, styles[i]) + " notitle");
  }
  if (plots.empty()) plots.push_back("NaN notitle");
  script += "plot ";
  for (std::size_t i = 0; i < plots.size(); ++i) script += (i > 0 ? ", \\\n     " : "") + plots[i];
  return script + "\n";
}

}  // namespace epsfree
