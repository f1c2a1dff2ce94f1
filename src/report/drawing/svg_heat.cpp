#include "report/drawing/svg_heat.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

namespace epsfree {
namespace {

constexpr double kScaleGap = 10;  // from the axes to the scale
constexpr double kScaleWidth = 15;
constexpr double kNumbersGap = 7;  // from the scale to its numbers
constexpr double kLabelRoom = 22;
// Fewer would show as bands; more could not be told apart, and make the file longer.
constexpr std::size_t kNumColours = 64;
// Rectangles reach this far under the next ones, which are drawn over them. Where programs smooth
// edges, the ground would shine through between neighbours that only touch.
constexpr double kOverlap = 1;

/// Viridis (van der Walt and Smith), which is perceptually uniform and reads well in grey; `share`
/// is from 0 to 1.
std::string viridis(double share) {
  constexpr std::array<std::array<double, 3>, 9> kStops = {{{68, 1, 84},
                                                            {71, 44, 122},
                                                            {59, 81, 139},
                                                            {44, 113, 142},
                                                            {33, 144, 141},
                                                            {39, 173, 129},
                                                            {92, 200, 99},
                                                            {170, 220, 50},
                                                            {253, 231, 37}}};
  const double place = share * static_cast<double>(kStops.size() - 1);
  const std::size_t stop = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
  const double rest = place - static_cast<double>(stop);
  std::string text = "#";
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = kStops[stop][i] + rest * (kStops[stop + 1][i] - kStops[stop][i]);
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(std::lround(value)) & 0xffu);
    text += digits;
  }
  return text;
}

std::string colour_of(std::size_t level) {
  return viridis(static_cast<double>(level) / static_cast<double>(kNumColours - 1));
}

/// What the colours reach over; none: there is no value to be shown.
std::optional<Range> range_of(const Figure& figure) {
  if (!figure.heat) return std::nullopt;
  Range range{INFINITY, -INFINITY};
  for (const double value : figure.heat->value.reshaped()) {
    if (!std::isfinite(value)) continue;
    range = {std::min(range.low, value), std::max(range.high, value)};
  }
  if (!(range.low <= range.high)) return std::nullopt;
  if (range.low == range.high) range.high += range.low == 0 ? 1 : std::abs(range.low);
  return range;
}

double room_for_numbers(const Range& range) {
  double widest = 0;
  for (const Tick& tick : linear_ticks(range, kMostSteps)) {
    widest = std::max(widest, tick_label_width(tick.label));
  }
  return widest;
}

}  // namespace

double colour_scale_width(const Figure& figure) {
  const auto range = range_of(figure);
  if (!range) return 0;
  return kScaleGap + kScaleWidth + kNumbersGap + room_for_numbers(*range) +
         (figure.heat->label.empty() ? 0 : kLabelRoom);
}

void draw_heat_map(SvgCanvas& canvas, const SvgAxes& axes) {
  const Figure& figure = axes.figure();
  const auto range = range_of(figure);
  if (!range) return;
  const HeatMap& heat = *figure.heat;
  const Eigen::VectorXd columns = cell_edges(heat.x, figure.x.log);
  const Eigen::VectorXd rows = cell_edges(heat.y, figure.y.log);
  const auto level = [&](Eigen::Index i, Eigen::Index j) -> std::optional<std::size_t> {
    if (!std::isfinite(heat.value(i, j))) return std::nullopt;
    const double share = (heat.value(i, j) - range->low) / (range->high - range->low);
    return std::min(static_cast<std::size_t>(share * kNumColours), kNumColours - 1);
  };
  const auto is_covered_above = [&](Eigen::Index i, Eigen::Index begin, Eigen::Index end) {
    const Eigen::Index count = std::min(end + 1, heat.x.size()) - begin;
    return i + 1 < heat.y.size() &&
           heat.value.row(i + 1).segment(begin, count).array().isFinite().all();
  };
  // One rectangle for neighbours of one colour.
  for (Eigen::Index i = 0; i < heat.y.size(); ++i) {
    for (Eigen::Index j = 0, end = 0; j < heat.x.size(); j = end) {
      const auto colour = level(i, j);
      for (end = j + 1; end < heat.x.size() && level(i, end) == colour;) ++end;
      if (!colour) continue;
      const double x = axes.across(columns[j]), y = axes.down(rows[i + 1]);
      // Nothing would cover what reaches into a cell that is left out.
      const double right = end < heat.x.size() && level(i, end) ? kOverlap : 0;
      const double up = is_covered_above(i, j, end) ? kOverlap : 0;
      canvas.rectangle({x, y - up}, axes.across(columns[end]) - x + right,
                       axes.down(rows[i]) - y + up, colour_of(*colour), 1);
    }
  }
}

void draw_colour_scale(SvgCanvas& canvas, const SvgAxes& axes) {
  const auto range = range_of(axes.figure());
  if (!range) return;
  const double left = axes.right() + kScaleGap, right = left + kScaleWidth;
  const double height = axes.bottom() - axes.top(), step = height / kNumColours;
  for (std::size_t i = 0; i < kNumColours; ++i) {
    const double bottom = axes.bottom() - static_cast<double>(i) * step;
    const double overlap = i + 1 < kNumColours ? kOverlap : 0;
    canvas.rectangle({left, bottom - step - overlap}, kScaleWidth, step + overlap, colour_of(i), 1);
  }
  const SvgStroke stroke{.colour = canvas.soft_colour()};
  canvas.frame({left, axes.top()}, kScaleWidth, height, stroke);
  for (const Tick& tick : linear_ticks(*range, kMostSteps)) {
    const double y =
        axes.bottom() - height * (tick.value - range->low) / (range->high - range->low);
    canvas.line({right, y}, {right + 3, y}, stroke);
    canvas.tick_label({right + kNumbersGap, y + 4}, tick.label, SvgAnchor::start, 11.5);
  }
  const std::string& label = axes.figure().heat->label;
  if (label.empty()) return;
  canvas.text({right + kNumbersGap + room_for_numbers(*range) + kLabelRoom - 6,
               (axes.top() + axes.bottom()) / 2},
              label, SvgAnchor::middle, fitting_size(label, 12, height), false, -90);
}

}  // namespace epsfree
