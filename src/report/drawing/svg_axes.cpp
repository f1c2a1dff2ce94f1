#include "report/drawing/svg_axes.hpp"

#include <algorithm>
#include <cmath>

#include "report/markup.hpp"

namespace epsfree {
namespace {

constexpr double kRightMargin = 12;
constexpr double kTickLength = 4;
constexpr double kMinorTickLength = 2.5;
constexpr double kTickSize = 11.5;

double share(double value, const Axis& axis, const Range& range) {
  return axis.log ? std::log(value / range.low) / std::log(range.high / range.low)
                  : (value - range.low) / (range.high - range.low);
}

double tick_length(const Tick& tick) { return tick.label.empty() ? kMinorTickLength : kTickLength; }

}  // namespace

double fitting_size(const std::string& text, double size, double room) {
  constexpr double kSmallest = 8;
  const double width = kCharacterWidth * static_cast<double>(text_length(text)) * size / 12;
  return width <= room ? size : std::max(kSmallest, size * room / width);
}

double tick_label_width(const std::string& label) {
  // Raised figures are small: "10^{−2}" is no wider than four others.
  const bool power = label.find("^{") != std::string::npos;
  return kCharacterWidth * static_cast<double>(text_length(label) - (power ? 3 : 0));
}

SvgAxes::SvgAxes(const Figure& figure, const FigureLayout& layout, double room_right)
    : figure_(figure),
      ranges_(figure_ranges(figure)),
      height_(layout.height),
      x_label_(layout.height - layout.x_label),
      rotated_categories_(layout.rotated_categories),
      right_(kFigureWidth - kRightMargin - room_right),
      top_(layout.height - layout.axes_high),
      bottom_(layout.height - layout.axes_low) {
  left_ = room_for_numbers();
  if (rotated_categories_) left_ = std::max(left_, room_for_slanted_categories());
}

double SvgAxes::room_for_numbers() const {
  double widest = 0;
  for (const Tick& tick : y_ticks()) {
    widest = std::max(widest, tick_label_width(tick.label));
  }
  return 14 + widest + (figure_.y.label.empty() ? 0 : 20);
}

/// Slanted names end below their place, and the first ones begin left of the axes.
double SvgAxes::room_for_slanted_categories() const {
  constexpr double kSlant = 0.82;  // of text at 35 degrees, per its length
  const auto count = static_cast<double>(figure_.categories.size());
  double room = 0;
  for (std::size_t i = 0; i < figure_.categories.size(); ++i) {
    const double needed =
        kSlant * kCharacterWidth * static_cast<double>(text_length(figure_.categories[i])) + 2;
    const double part = (static_cast<double>(i) + 0.5) / count;
    room = std::max(room, std::min(kFigureWidth / 3, (needed - right_ * part) / (1 - part)));
  }
  return room;
}

std::vector<Tick> SvgAxes::y_ticks() const {
  return figure_.y.log ? log_ticks(ranges_.y) : linear_ticks(ranges_.y, kMostSteps);
}

/// Fewer where the labels are long.
std::vector<Tick> SvgAxes::x_ticks() const {
  constexpr double kLabelGap = 14;
  std::vector<Tick> ticks =
      figure_.x.log ? log_ticks(ranges_.x) : linear_ticks(ranges_.x, kMostSteps);
  if (figure_.x.log) return ticks;
  double width = 0;
  for (const Tick& tick : ticks) width += tick_label_width(tick.label) + kLabelGap;
  return width <= right_ - left_ ? ticks : linear_ticks(ranges_.x);
}

double SvgAxes::across(double x) const {
  return left_ + (right_ - left_) * share(x, figure_.x, ranges_.x);
}

double SvgAxes::down(double y) const {
  return bottom_ - (bottom_ - top_) * share(y, figure_.y, ranges_.y);
}

void SvgAxes::draw_grid(SvgCanvas& canvas) const {
  const SvgStroke stroke{.colour = canvas.faint_colour(), .width = 0.7};
  for (const Tick& tick : y_ticks()) {
    const double y = down(tick.value);
    if (!tick.label.empty()) canvas.line({left_, y}, {right_, y}, stroke);
  }
  if (!figure_.categories.empty()) return;
  for (const Tick& tick : x_ticks()) {
    const double x = across(tick.value);
    if (!tick.label.empty()) canvas.line({x, top_}, {x, bottom_}, stroke);
  }
}

void SvgAxes::draw_frame(SvgCanvas& canvas) const {
  draw_ticks(canvas);
  draw_categories(canvas);
  canvas.frame({left_, top_}, right_ - left_, bottom_ - top_, {.colour = canvas.soft_colour()});
  draw_labels(canvas);
}

void SvgAxes::draw_ticks(SvgCanvas& canvas) const {
  const SvgStroke stroke{.colour = canvas.soft_colour(), .width = 1};
  for (const Tick& tick : y_ticks()) {
    const double y = down(tick.value);
    canvas.line({left_ - tick_length(tick), y}, {left_, y}, stroke);
    if (tick.label.empty()) continue;
    canvas.tick_label({left_ - 7, y + 4}, tick.label, SvgAnchor::end, kTickSize);
  }
  if (!figure_.categories.empty()) return;
  for (const Tick& tick : x_ticks()) {
    const double x = across(tick.value);
    canvas.line({x, bottom_}, {x, bottom_ + tick_length(tick)}, stroke);
    if (tick.label.empty()) continue;
    canvas.tick_label({x, bottom_ + 17}, tick.label, SvgAnchor::middle, kTickSize);
  }
}

void SvgAxes::draw_categories(SvgCanvas& canvas) const {
  for (std::size_t i = 0; i < figure_.categories.size(); ++i) {
    const double x = across(static_cast<double>(i + 1));
    if (rotated_categories_) {
      canvas.text({x + 4, bottom_ + 14}, figure_.categories[i], SvgAnchor::end, 11, true, -35);
    } else {
      canvas.text({x, bottom_ + 17}, figure_.categories[i], SvgAnchor::middle, kTickSize, true);
    }
  }
}

void SvgAxes::draw_labels(SvgCanvas& canvas) const {
  const double middle = (left_ + right_) / 2;
  const double room = 2 * std::min(middle, kFigureWidth - middle) - 4;
  if (!figure_.title.empty()) {
    canvas.text({middle, 18}, figure_.title, SvgAnchor::middle,
                fitting_size(figure_.title, 13, room));
  }
  if (!figure_.x.label.empty()) {
    canvas.text({middle, x_label_ + 4}, figure_.x.label, SvgAnchor::middle,
                fitting_size(figure_.x.label, 12, room));
  }
  if (!figure_.y.label.empty()) {
    const double centre = (top_ + bottom_) / 2;
    const double height = 2 * std::min(centre, height_ - centre) - 4;
    canvas.text({13, centre}, figure_.y.label, SvgAnchor::middle,
                fitting_size(figure_.y.label, 12, height), false, -90);
  }
}

}  // namespace epsfree
