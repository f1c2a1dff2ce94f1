// A figure as data: axes and series, which `draw_figure` (figure_files.hpp) turns into pictures and
// a table.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace epsfree {

struct Axis {
  std::string label;
  bool log = false;
  /// Both or neither; none: what the data need.
  std::optional<double> low = {}, high = {};
};

enum class SeriesKind {
  line,       ///< y over x
  points,     ///< markers joined by a thin line, in the order given
  markers,    ///< markers alone
  histogram,  ///< bars: x are the bins' centres, all of one width
  intervals,  ///< a marker at (x, y) with a bar from `low` to `high` upright
  band,       ///< the area between `low` and `high` over x; y is not drawn
  level,      ///< a horizontal line across the figure at y[0]
  vertical,   ///< a dashed vertical line at x[0]
};

struct Series {
  SeriesKind kind = SeriesKind::line;
  std::string label;   ///< in the legend; empty: not in it
  std::string colour;  ///< "#rrggbb"
  Eigen::VectorXd x = {}, y = {};
  Eigen::VectorXd low = {}, high = {};  ///< of intervals and bands
  bool dashed = false;                  ///< lines and levels
};

/// A function of two variables as colours: value(i, j) at x[j], y[i].
struct HeatMap {
  Eigen::VectorXd x, y;
  Eigen::MatrixXd value;
  std::string label;  ///< of the colour scale
};

struct Figure {
  std::string name = {};     ///< of its files: letters, digits and hyphens
  std::string title = {};    ///< above it; may be empty
  std::string caption = {};  ///< for the page, and its text alternative
  Axis x, y;
  std::optional<HeatMap> heat = {};  ///< under the series
  std::vector<Series> series = {};
  /// Names for the whole numbers 1, 2, ... of the x axis in place of numbers.
  std::vector<std::string> categories = {};
};

/// Throws ErrorKind::usage where its parts do not fit.
void check_figure(const Figure& figure);

/// One line per point: series, x, y, low, high; a heat map's are x, y, value.
std::string figure_csv(const Figure& figure);

}  // namespace epsfree
