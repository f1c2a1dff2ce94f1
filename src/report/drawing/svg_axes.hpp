// The axes of a figure as SVG: where values stand in the picture, and what is around them.
#pragma once

#include <string>
#include <vector>

#include "report/drawing/figure.hpp"
#include "report/drawing/figure_layout.hpp"
#include "report/drawing/figure_scale.hpp"
#include "report/drawing/svg_canvas.hpp"

namespace epsfree {

class SvgAxes {
 public:
  /// Keeps a reference to the figure. `room_right` is for what stands to the right of the axes.
  SvgAxes(const Figure& figure, const FigureLayout& layout, double room_right);

  const Figure& figure() const { return figure_; }
  const Ranges& ranges() const { return ranges_; }
  double left() const { return left_; }
  double right() const { return right_; }
  double top() const { return top_; }
  double bottom() const { return bottom_; }
  /// Pixels of values that can be shown.
  double across(double x) const;
  double down(double y) const;

  /// What the data may cover: the grid.
  void draw_grid(SvgCanvas& canvas) const;
  /// Title, frame, ticks, names of categories, labels.
  void draw_frame(SvgCanvas& canvas) const;

 private:
  void draw_ticks(SvgCanvas& canvas) const;
  void draw_categories(SvgCanvas& canvas) const;
  void draw_labels(SvgCanvas& canvas) const;
  std::vector<Tick> x_ticks() const;
  std::vector<Tick> y_ticks() const;
  double room_for_numbers() const;
  double room_for_slanted_categories() const;

  const Figure& figure_;
  Ranges ranges_;
  double height_, x_label_;
  bool rotated_categories_;
  double left_ = 0, right_, top_, bottom_;
};

/// Of the size, or smaller so that the text is not longer than `room` pixels.
double fitting_size(const std::string& text, double size, double room);

/// The most steps between the ticks of an upright axis.
constexpr int kMostSteps = 9;

/// How wide a tick's label is, about, at 12 points.
double tick_label_width(const std::string& label);

}  // namespace epsfree
