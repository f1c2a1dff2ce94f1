#include "report/drawing/svg_figure.hpp"

#include <algorithm>
#include <cmath>

#include "report/drawing/figure_layout.hpp"
#include "report/drawing/figure_scale.hpp"
#include "report/drawing/palette.hpp"
#include "report/drawing/svg_canvas.hpp"
#include "report/markup.hpp"

namespace epsfree {
namespace {

constexpr double kRightMargin = 12;
constexpr double kTickLength = 4;
constexpr double kDotRadius = 2.6;
constexpr Eigen::Index kManyDots = 400;
const SvgStroke kAxisStroke{.colour = "var(--soft,#57606a)", .width = 1};
const SvgStroke kGridStroke{.colour = "var(--line,#d0d7de)", .width = 0.7};

/// Draws one figure.
class Drawing {
 public:
  explicit Drawing(const Figure& figure)
      : figure_(figure),
        ranges_(figure_ranges(figure)),
        layout_(figure_layout(figure)),
        canvas_(kFigureWidth, layout_.height) {
    std::size_t longest = 0;
    for (const Tick& tick : ticks(figure.y, ranges_.y)) {
      // Raised figures are small: "10^{−2}" is no wider than four others.
      const bool power = tick.label.find("^{") != std::string::npos;
      longest = std::max(longest, text_length(tick.label) - (power ? 3 : 0));
    }
    left_ = 14 + kCharacterWidth * static_cast<double>(longest) + (figure.y.label.empty() ? 0 : 20);
    if (layout_.rotated_categories) make_room_for_categories();
  }

  std::string draw() {
    axes();
    const SvgPoint corner{left_, top()};
    canvas_.begin_clip(figure_.name + "-clip", corner, right() - left_, bottom() - top());
    if (figure_.heat) heat_map(*figure_.heat);
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      if (is_shown(figure_.series[i], figure_)) series(figure_.series[i], colour(i));
    }
    canvas_.end_clip();
    legend();
    return canvas_.finish(figure_.name, figure_.title.empty() ? figure_.name : figure_.title,
                          figure_.caption);
  }

 private:
  static std::vector<Tick> ticks(const Axis& axis, const Range& range) {
    return axis.log ? log_ticks(range) : linear_ticks(range);
  }
  static double share(double value, const Axis& axis, const Range& range) {
    return axis.log ? std::log(value / range.low) / std::log(range.high / range.low)
                    : (value - range.low) / (range.high - range.low);
  }

  double right() const { return kFigureWidth - kRightMargin; }
  double top() const { return layout_.height - layout_.axes_high; }
  double bottom() const { return layout_.height - layout_.axes_low; }
  double across(double x) const {
    return left_ + (right() - left_) * share(x, figure_.x, ranges_.x);
  }
  double down(double y) const {
    return bottom() - (bottom() - top()) * share(y, figure_.y, ranges_.y);
  }
  std::string colour(std::size_t i) const {
    const std::string& own = figure_.series[i].colour;
    return page_colour(own.empty() ? kColours[i % std::size(kColours)].light : own);
  }

  /// Slanted names end below their place, and the first ones begin left of the axes.
  void make_room_for_categories() {
    constexpr double kSlant = 0.82;  // of text at 35 degrees, per its length
    const auto count = static_cast<double>(figure_.categories.size());
    for (std::size_t i = 0; i < figure_.categories.size(); ++i) {
      const double needed =
          kSlant * kCharacterWidth * static_cast<double>(text_length(figure_.categories[i])) + 2;
      const double share = (static_cast<double>(i) + 0.5) / count;
      left_ = std::max(left_, std::min(kFigureWidth / 3, (needed - right() * share) / (1 - share)));
    }
  }

  void axes() {
    if (!figure_.title.empty()) {
      canvas_.text({(left_ + right()) / 2, 18}, figure_.title, SvgAnchor::middle, 13);
    }
    for (const Tick& tick : ticks(figure_.y, ranges_.y)) {
      const double y = down(tick.value);
      if (tick.label.empty()) continue;
      canvas_.line({left_, y}, {right(), y}, kGridStroke);
      canvas_.text({left_ - 7, y + 4}, tick.label, SvgAnchor::end, 11.5, true);
    }
    if (figure_.categories.empty()) {
      for (const Tick& tick : ticks(figure_.x, ranges_.x)) {
        const double x = across(tick.value);
        canvas_.line({x, bottom()}, {x, bottom() + kTickLength}, kAxisStroke);
        if (!tick.label.empty()) {
          canvas_.text({x, bottom() + 17}, tick.label, SvgAnchor::middle, 11.5, true);
        }
      }
    }
    for (std::size_t i = 0; i < figure_.categories.size(); ++i) {
      const double x = across(static_cast<double>(i + 1));
      if (layout_.rotated_categories) {
        canvas_.text({x + 4, bottom() + 14}, figure_.categories[i], SvgAnchor::end, 11, true, -35);
      } else {
        canvas_.text({x, bottom() + 17}, figure_.categories[i], SvgAnchor::middle, 11.5, true);
      }
    }
    canvas_.frame({left_, top()}, right() - left_, bottom() - top(), kAxisStroke);
    if (!figure_.x.label.empty()) {
      canvas_.text({(left_ + right()) / 2, layout_.height - layout_.x_label + 4}, figure_.x.label,
                   SvgAnchor::middle);
    }
    if (!figure_.y.label.empty()) {
      canvas_.text({13, (top() + bottom()) / 2}, figure_.y.label, SvgAnchor::middle, 12, false,
                   -90);
    }
  }

  /// Stretches without missing points.
  std::vector<std::vector<SvgPoint>> stretches(const Series& series) const {
    std::vector<std::vector<SvgPoint>> all(1);
    for (Eigen::Index i = 0; i < series.x.size(); ++i) {
      if (can_be_shown(series.x[i], figure_.x.log) && can_be_shown(series.y[i], figure_.y.log)) {
        all.back().push_back({across(series.x[i]), down(series.y[i])});
      } else if (!all.back().empty()) {
        all.emplace_back();
      }
    }
    return all;
  }

  void series(const Series& series, const std::string& colour) {
    const std::string dash = series.kind == SeriesKind::vertical ? "5 4"
                             : series.dashed                     ? "7 4"
                                                                 : "";
    const SvgStroke stroke{
        .colour = colour, .width = series.kind == SeriesKind::line ? 1.8 : 1.3, .dash = dash};
    switch (series.kind) {
      case SeriesKind::level:
        canvas_.line({left_, down(series.y[0])}, {right(), down(series.y[0])}, stroke);
        break;
      case SeriesKind::vertical:
        canvas_.line({across(series.x[0]), top()}, {across(series.x[0]), bottom()}, stroke);
        break;
      case SeriesKind::histogram:
        bars(series, colour);
        break;
      case SeriesKind::band:
        band(series, colour);
        break;
      case SeriesKind::intervals:
        for (Eigen::Index i = 0; i < series.x.size(); ++i) upright(series, i, stroke);
        dots(series, colour);
        break;
      case SeriesKind::line:
      case SeriesKind::points:
      case SeriesKind::markers:
        if (series.kind != SeriesKind::markers) {
          for (const auto& stretch : stretches(series)) canvas_.path(stretch, stroke);
        }
        if (series.kind != SeriesKind::line) dots(series, colour);
    }
  }

  void dots(const Series& series, const std::string& colour) {
    std::vector<SvgPoint> all;
    for (const auto& stretch : stretches(series)) {
      all.insert(all.end(), stretch.begin(), stretch.end());
    }
    const bool many = series.x.size() > kManyDots;
    canvas_.dots(all, many ? 1 : kDotRadius, colour, many ? 0.6 : 1);
  }

  void upright(const Series& series, Eigen::Index i, const SvgStroke& stroke) {
    if (!band_is_shown(series, figure_, i)) return;
    const double x = across(series.x[i]);
    canvas_.line({x, down(series.low[i])}, {x, down(series.high[i])}, stroke);
  }

  void bars(const Series& series, const std::string& colour) {
    const double half = half_bar_width(series.x);
    for (Eigen::Index i = 0; i < series.x.size(); ++i) {
      const double value = series.y[i];
      if (!can_be_shown(series.x[i] - half, figure_.x.log) ||
          !can_be_shown(series.x[i], figure_.x.log) || !can_be_shown(value, figure_.y.log)) {
        continue;
      }
      const double begin = across(series.x[i] - half), end = across(series.x[i] + half);
      const double floor =
          figure_.y.log ? bottom() : down(std::clamp(0.0, ranges_.y.low, ranges_.y.high));
      const double tip = down(value);
      canvas_.rectangle({begin + 0.5, std::min(tip, floor)}, std::max(0.5, end - begin - 1),
                        std::abs(floor - tip), colour, 0.45);
    }
  }

  void band(const Series& series, const std::string& colour) {
    std::vector<SvgPoint> outline, back;
    const auto close = [&] {
      outline.insert(outline.end(), back.rbegin(), back.rend());
      canvas_.area({outline}, colour, 0.2);
      outline.clear();
      back.clear();
    };
    for (Eigen::Index i = 0; i < series.x.size(); ++i) {
      if (!band_is_shown(series, figure_, i)) {
        close();
        continue;
      }
      outline.push_back({across(series.x[i]), down(series.low[i])});
      back.push_back({across(series.x[i]), down(series.high[i])});
    }
    close();
  }

  void heat_map(const HeatMap& heat) {
    const Eigen::VectorXd columns = cell_edges(heat.x, figure_.x.log);
    const Eigen::VectorXd rows = cell_edges(heat.y, figure_.y.log);
    double low = INFINITY, high = -INFINITY;
    for (const double value : heat.value.reshaped()) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    for (Eigen::Index i = 0; i < heat.y.size(); ++i) {
      for (Eigen::Index j = 0; j < heat.x.size(); ++j) {
        if (!std::isfinite(heat.value(i, j))) continue;
        const double strength = high > low ? (heat.value(i, j) - low) / (high - low) : 1;
        const double x = across(columns[j]), y = down(rows[i + 1]);
        canvas_.rectangle({x, y}, across(columns[j + 1]) - x, down(rows[i]) - y,
                          page_colour(kPosteriorColour), 0.04 + 0.9 * strength);
      }
    }
  }

  void legend() {
    for (const LegendEntry& entry : layout_.legend) {
      const Series& series = figure_.series[entry.series];
      const double y = layout_.height - entry.y, end = entry.x + kLegendSampleWidth;
      const std::string of = colour(entry.series);
      if (series.kind == SeriesKind::histogram || series.kind == SeriesKind::band) {
        canvas_.rectangle({entry.x, y - 5}, kLegendSampleWidth, 10, of,
                          series.kind == SeriesKind::band ? 0.2 : 0.45);
      } else if (series.kind != SeriesKind::markers) {
        canvas_.line({entry.x, y}, {end, y},
                     {.colour = of,
                      .width = 1.8,
                      .dash = series.kind == SeriesKind::vertical ? "5 4"
                              : series.dashed                     ? "7 4"
                                                                  : ""});
      }
      if (series.kind == SeriesKind::points || series.kind == SeriesKind::markers ||
          series.kind == SeriesKind::intervals) {
        canvas_.dots({{(entry.x + end) / 2, y}}, kDotRadius, of);
      }
      canvas_.text({end + 8, y + 4}, series.label, SvgAnchor::start, 11.5);
    }
  }

  const Figure& figure_;
  Ranges ranges_;
  FigureLayout layout_;
  SvgCanvas canvas_;
  double left_ = 0;
};

}  // namespace

std::string figure_svg(const Figure& figure) {
  check_figure(figure);
  return Drawing(figure).draw();
}

}  // namespace epsfree
