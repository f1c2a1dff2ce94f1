// Where the parts of a picture are, in points from its lower left corner.
#pragma once

#include <vector>

#include "report/drawing/figure.hpp"

namespace epsfree {

constexpr double kFigureWidth = 480;
/// The mean width of a character at 12 points, rather more than less.
constexpr double kCharacterWidth = 6.4;

/// A line of the legend: a sample of the series, and its label to the right of it.
struct LegendEntry {
  std::size_t series = 0;  ///< its number in the figure, from 0
  double x = 0, y = 0;     ///< where the sample begins, and the middle of the line
};

constexpr double kLegendSampleWidth = 30;

/// From the top: title, axes, ticks' labels, the x axis's label, legend. Nobody measures text here:
/// its width is estimated, so that a picture is the same everywhere.
struct FigureLayout {
  double height = 0;
  double axes_low = 0, axes_high = 0;
  double x_label = 0;  ///< its middle
  std::vector<LegendEntry> legend = {};
  bool rotated_categories = false;
};

FigureLayout figure_layout(const Figure& figure);

/// Whether there is anything of it in the picture.
bool is_shown(const Series& series, const Figure& figure);

}  // namespace epsfree
