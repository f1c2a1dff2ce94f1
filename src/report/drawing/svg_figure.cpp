#include "report/drawing/svg_figure.hpp"

#include <algorithm>
#include <cmath>

#include "report/drawing/figure_layout.hpp"
#include "report/drawing/figure_scale.hpp"
#include "report/drawing/palette.hpp"
#include "report/drawing/svg_axes.hpp"
#include "report/drawing/svg_canvas.hpp"
#include "report/drawing/svg_heat.hpp"

namespace epsfree {
namespace {

constexpr double kDotRadius = 3;
constexpr Eigen::Index kManyDots = 400;
constexpr Eigen::Index kManyIntervals = 30;  // whose ends get no strokes
constexpr double kBarOpacity = 0.45;
constexpr double kBandOpacity = 0.2;
constexpr SvgMarker kMarkers[] = {SvgMarker::circle,
                                  SvgMarker::square,
                                  SvgMarker::triangle,
                                  SvgMarker::diamond,
                                  SvgMarker::inverted_triangle,
                                  SvgMarker::plus,
                                  SvgMarker::cross};

bool has_markers(const Series& series) {
  return series.kind == SeriesKind::points || series.kind == SeriesKind::markers ||
         series.kind == SeriesKind::intervals;
}

/// Draws one figure.
class Drawing {
 public:
  Drawing(const Figure& figure, SvgPlace place)
      : figure_(figure),
        layout_(figure_layout(figure)),
        axes_(figure, layout_, colour_scale_width(figure)),
        canvas_(kFigureWidth, layout_.height, place) {
    // Series are told apart by more than their colours.
    std::size_t next = 0;
    for (const Series& series : figure.series) {
      markers_.push_back(kMarkers[next % std::size(kMarkers)]);
      if (has_markers(series)) ++next;
    }
  }

  std::string draw() {
    axes_.draw_grid(canvas_);
    canvas_.begin_clip(figure_.name + "-clip", {axes_.left(), axes_.top()},
                       axes_.right() - axes_.left(), axes_.bottom() - axes_.top());
    draw_heat_map(canvas_, axes_);
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      if (is_shown(figure_.series[i], figure_)) series(i);
    }
    canvas_.end_clip();
    axes_.draw_frame(canvas_);
    draw_colour_scale(canvas_, axes_);
    legend();
    return canvas_.finish(figure_.name, figure_.title.empty() ? figure_.name : figure_.title,
                          figure_.caption);
  }

 private:
  double across(double x) const { return axes_.across(x); }
  double down(double y) const { return axes_.down(y); }
  std::string colour(std::size_t i) const {
    const std::string& own = figure_.series[i].colour;
    return canvas_.colour(own.empty() ? kColours[i % std::size(kColours)].light : own);
  }
  SvgStroke stroke(std::size_t i) const {
    const Series& series = figure_.series[i];
    return {.colour = colour(i),
            .width = series.kind == SeriesKind::line     ? 1.8
                     : series.kind == SeriesKind::points ? 1
                                                         : 1.4,
            .dash = series.kind == SeriesKind::vertical     ? "5 4"
                    : series.dashed && !has_markers(series) ? "7 4"
                                                            : ""};
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

  void series(std::size_t i) {
    const Series& series = figure_.series[i];
    switch (series.kind) {
      case SeriesKind::level:
        canvas_.line({axes_.left(), down(series.y[0])}, {axes_.right(), down(series.y[0])},
                     stroke(i));
        break;
      case SeriesKind::vertical:
        canvas_.line({across(series.x[0]), axes_.top()}, {across(series.x[0]), axes_.bottom()},
                     stroke(i));
        break;
      case SeriesKind::histogram:
        bars(series, colour(i));
        break;
      case SeriesKind::band:
        band(series, colour(i));
        break;
      case SeriesKind::intervals:
        for (Eigen::Index k = 0; k < series.x.size(); ++k) upright(series, k, stroke(i));
        break;
      case SeriesKind::line:
      case SeriesKind::points:
        for (const auto& stretch : stretches(series)) canvas_.path(stretch, stroke(i));
        break;
      case SeriesKind::markers:
        break;
    }
    if (has_markers(series)) markers(i);
  }

  void markers(std::size_t i) {
    const Series& series = figure_.series[i];
    std::vector<SvgPoint> all;
    for (const auto& stretch : stretches(series)) {
      all.insert(all.end(), stretch.begin(), stretch.end());
    }
    // Many are small, so that they show where they are dense.
    const bool many = series.x.size() > kManyDots;
    canvas_.markers(all, many ? SvgMarker::circle : markers_[i], many ? 1 : kDotRadius, colour(i),
                    many ? 0.6 : 1);
  }

  void upright(const Series& series, Eigen::Index i, const SvgStroke& stroke) {
    if (!band_is_shown(series, figure_, i)) return;
    const double x = across(series.x[i]);
    canvas_.line({x, down(series.low[i])}, {x, down(series.high[i])}, stroke);
    if (series.x.size() > kManyIntervals) return;
    for (const double end : {series.low[i], series.high[i]}) {
      canvas_.line({x - kDotRadius, down(end)}, {x + kDotRadius, down(end)}, stroke);
    }
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
      const double floor = figure_.y.log
                               ? axes_.bottom()
                               : down(std::clamp(0.0, axes_.ranges().y.low, axes_.ranges().y.high));
      const double tip = down(value);
      canvas_.rectangle({begin + 0.5, std::min(tip, floor)}, std::max(0.5, end - begin - 1),
                        std::abs(floor - tip), colour, kBarOpacity);
    }
  }

  void band(const Series& series, const std::string& colour) {
    std::vector<SvgPoint> outline, back;
    const auto close = [&] {
      outline.insert(outline.end(), back.rbegin(), back.rend());
      canvas_.area({outline}, colour, kBandOpacity);
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

  void legend() {
    for (const LegendEntry& entry : layout_.legend) {
      const Series& series = figure_.series[entry.series];
      const double y = layout_.height - entry.y, end = entry.x + kLegendSampleWidth;
      if (series.kind == SeriesKind::histogram || series.kind == SeriesKind::band) {
        canvas_.rectangle({entry.x, y - 5}, kLegendSampleWidth, 10, colour(entry.series),
                          series.kind == SeriesKind::band ? kBandOpacity : kBarOpacity);
      } else if (series.kind != SeriesKind::markers) {
        canvas_.line({entry.x, y}, {end, y}, stroke(entry.series));
      }
      if (has_markers(series)) {
        canvas_.markers({{(entry.x + end) / 2, y}}, markers_[entry.series], kDotRadius,
                        colour(entry.series));
      }
      canvas_.text({end + 8, y + 4}, series.label, SvgAnchor::start, 11.5);
    }
  }

  const Figure& figure_;
  FigureLayout layout_;
  SvgAxes axes_;
  SvgCanvas canvas_;
  std::vector<SvgMarker> markers_;  ///< of each series
};

}  // namespace

std::string figure_svg(const Figure& figure, SvgPlace place) {
  check_figure(figure);
  return Drawing(figure, place).draw();
}

}  // namespace epsfree
