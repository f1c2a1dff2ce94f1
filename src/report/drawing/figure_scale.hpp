// The ranges of a figure's axes, and their ticks.
#pragma once

#include <string>
#include <vector>

#include "report/drawing/figure.hpp"

namespace epsfree {

struct Range {
  double low = 0, high = 1;
};

struct Ranges {
  Range x, y;
};

/// Whether there is a place for it on the axis.
bool can_be_shown(double value, bool log);

/// Whether a point of a band has a place on both axes.
bool band_is_shown(const Series& series, const Figure& figure, Eigen::Index i);

/// Half of a histogram's bar's width; 0.5 for a single bar.
double half_bar_width(const Eigen::VectorXd& centres);

/// The edges of the cells around these points, one more than there are; the midpoints between them.
Eigen::VectorXd cell_edges(const Eigen::VectorXd& centres, bool log);

/// What the axes say, or what the data need with a little room around them.
Ranges figure_ranges(const Figure& figure);

struct Tick {
  double value = 0;
  std::string label;  ///< what stands in ^{...} is raised; empty: a minor tick
};

/// At round steps, of which there are at most `most_steps`.
std::vector<Tick> linear_ticks(const Range& range, int most_steps = 5);

/// Powers of ten, if there are at least two of them in the range; else round
/// numbers between them too.
std::vector<Tick> log_ticks(const Range& range);

}  // namespace epsfree
