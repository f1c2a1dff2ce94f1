#include "report/drawing/figure_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/number_text.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

/// What of an axis is taken: points get room around them, edges (of cells, of an axis's own zero)
/// do not need it.
class Extent {
 public:
  explicit Extent(bool log) : log_(log) {}

  void add_point(double value) { add(value, points_); }
  void add_edge(double value) { add(value, edges_); }
  template <class Values>
  void add_points(const Values& values) {
    for (const double value : values) add_point(value);
  }
  /// Nothing below zero, and zero itself is the edge, if no value is below.
  void begin_at_zero() {
    if (log_) return;
    add_edge(0);
    from_zero_ = true;
  }

  Range range() const {
    Range all{std::min(points_.low, edges_.low), std::max(points_.high, edges_.high)};
    if (!(all.low <= all.high)) return log_ ? Range{1, 10} : Range{0, 1};
    if (all.low == all.high) {
      const double half = log_ ? 0.5 : all.low == 0 ? 0.5 : 0.1 * std::abs(all.low);
      all = {all.low - half, all.high + half};
    } else {
      constexpr double kRoom = 0.04;
      const double room = kRoom * (all.high - all.low);
      const bool at_zero = from_zero_ && all.low >= 0;
      all = {at_zero ? 0 : std::min(points_.low - room, all.low),
             std::max(points_.high + room, all.high)};
    }
    return log_ ? Range{std::pow(10, all.low), std::pow(10, all.high)} : all;
  }

 private:
  void add(double value, Range& range) const {
    if (!can_be_shown(value, log_)) return;
    const double place = log_ ? std::log10(value) : value;
    range = {std::min(range.low, place), std::max(range.high, place)};
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  bool log_;
  bool from_zero_ = false;
  Range points_{kInfinity, -kInfinity}, edges_{kInfinity, -kInfinity};
};

void add_bars(const Series& series, Extent& x, Extent& y) {
  const double half = half_bar_width(series.x);
  for (Eigen::Index i = 0; i < series.x.size(); ++i) {
    x.add_point(series.x[i] - half);
    x.add_point(series.x[i] + half);
    y.add_point(series.y[i]);
  }
  y.begin_at_zero();
}

/// Only points that are shown count, so that a value without its partner does not stretch an axis.
void add_points(const Series& series, const Figure& figure, Extent& x, Extent& y) {
  for (Eigen::Index i = 0; i < series.x.size(); ++i) {
    if (!can_be_shown(series.x[i], figure.x.log) || !can_be_shown(series.y[i], figure.y.log)) {
      continue;
    }
    x.add_point(series.x[i]);
    y.add_point(series.y[i]);
    if (series.kind != SeriesKind::intervals) continue;
    y.add_point(series.low[i]);
    y.add_point(series.high[i]);
  }
}

void add_band(const Series& series, const Figure& figure, Extent& x, Extent& y) {
  for (Eigen::Index i = 0; i < series.x.size(); ++i) {
    if (!band_is_shown(series, figure, i)) continue;
    x.add_point(series.x[i]);
    y.add_point(series.low[i]);
    y.add_point(series.high[i]);
  }
}

Range chosen(const Axis& axis, const Extent& extent, const std::string& name) {
  if (!axis.low && !axis.high) return extent.range();
  if (!axis.low || !axis.high || !can_be_shown(*axis.low, axis.log) ||
      !can_be_shown(*axis.high, axis.log) || !(*axis.low < *axis.high)) {
    throw Error(ErrorKind::usage, "figure: the " + name + " axis is from " +
                                      (axis.low ? number_text(*axis.low) : "nothing") + " to " +
                                      (axis.high ? number_text(*axis.high) : "nothing") +
                                      "; both ends must be given and finite, the lower one first" +
                                      (axis.log ? ", and positive on a logarithmic axis" : ""));
  }
  return {*axis.low, *axis.high};
}

std::string power_label(int mantissa, int exponent) {
  const std::string power =
      std::string("10^{") + (exponent < 0 ? "−" : "") + std::to_string(std::abs(exponent)) + "}";
  if (mantissa == 1) return power;
  return std::to_string(mantissa) + "×" + power;
}

/// 0.02 and 500 rather than powers, where numbers are not far from one.
std::string round_label(int mantissa, int exponent) {
  constexpr int kPlain = 4;
  if (std::abs(exponent) > kPlain) return power_label(mantissa, exponent);
  const std::string digit = std::to_string(mantissa);
  if (exponent >= 0) return digit + std::string(static_cast<std::size_t>(exponent), '0');
  return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digit;
}

}  // namespace

bool can_be_shown(double value, bool log) { return std::isfinite(value) && (!log || value > 0); }

bool band_is_shown(const Series& series, const Figure& figure, Eigen::Index i) {
  return can_be_shown(series.x[i], figure.x.log) && can_be_shown(series.low[i], figure.y.log) &&
         can_be_shown(series.high[i], figure.y.log);
}

double half_bar_width(const Eigen::VectorXd& centres) {
  double width = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 1; i < centres.size(); ++i) {
    const double gap = std::abs(centres[i] - centres[i - 1]);
    if (gap > 0) width = std::min(width, gap);
  }
  return std::isfinite(width) ? width / 2 : 0.5;
}

Eigen::VectorXd cell_edges(const Eigen::VectorXd& centres, bool log) {
  const Eigen::Index n = centres.size();
  Eigen::VectorXd edges(n + 1);
  if (n == 0) return edges.setZero();
  const Eigen::VectorXd place = log ? Eigen::VectorXd(centres.array().log10()) : centres;
  for (Eigen::Index i = 1; i < n; ++i) edges[i] = (place[i - 1] + place[i]) / 2;
  edges[0] = n > 1 ? place[0] - (place[1] - place[0]) / 2 : place[0] - 0.5;
  edges[n] = n > 1 ? place[n - 1] + (place[n - 1] - place[n - 2]) / 2 : place[0] + 0.5;
  if (log) edges = Eigen::pow(10.0, edges.array());
  return edges;
}

Ranges figure_ranges(const Figure& figure) {
  Extent x(figure.x.log), y(figure.y.log);
  if (figure.heat) {
    const Eigen::VectorXd columns = cell_edges(figure.heat->x, figure.x.log);
    const Eigen::VectorXd rows = cell_edges(figure.heat->y, figure.y.log);
    for (const double edge : columns) x.add_edge(edge);
    for (const double edge : rows) y.add_edge(edge);
  }
  if (!figure.categories.empty()) {
    x.add_edge(0.5);
    x.add_edge(static_cast<double>(figure.categories.size()) + 0.5);
  }
  for (const Series& series : figure.series) {
    switch (series.kind) {
      case SeriesKind::histogram:
        add_bars(series, x, y);
        break;
      case SeriesKind::band:
        add_band(series, figure, x, y);
        break;
      case SeriesKind::level:
        y.add_points(series.y.head(std::min<Eigen::Index>(1, series.y.size())));
        break;
      case SeriesKind::vertical:
        x.add_points(series.x.head(std::min<Eigen::Index>(1, series.x.size())));
        break;
      default:
        add_points(series, figure, x, y);
    }
  }
  return {chosen(figure.x, x, "x"), chosen(figure.y, y, "y")};
}

std::vector<Tick> linear_ticks(const Range& range, int most_steps) {
  const double rough = (range.high - range.low) / most_steps;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough < 2 * power ? 2 : rough < 5 * power ? 5 : 10);
  std::vector<Tick> ticks;
  // Counted, as adding one to a number may not change it.
  for (int i = 0; i <= 2 * most_steps; ++i) {
    const double value = (std::ceil(range.low / step) + i) * step;
    if (!(value <= range.high)) break;
    char text[32];  // a multiple of the step may have digits that are not meant
    std::snprintf(text, sizeof text, "%.10g", std::abs(value));
    ticks.push_back({value, (value < 0 ? "−" : "") + std::string(text)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(const Range& range) {
  constexpr double kSlack = 1e-9;  // an end that is a power of ten has its tick
  const double low = std::log10(range.low), high = std::log10(range.high);
  const int first = static_cast<int>(std::floor(low)), last = static_cast<int>(std::ceil(high));
  int powers = 0;
  for (int e = first; e <= last; ++e) powers += e >= low - kSlack && e <= high + kSlack ? 1 : 0;
  constexpr int kMostLabels = 8;
  const int step = (powers + kMostLabels - 1) / kMostLabels;
  // Over half a decade even 1, 2, 5 would be one label or none.
  constexpr double kNarrow = 0.5;
  if (high - low < kNarrow) return linear_ticks(range);
  const std::vector<int> labelled =
      high - low < 1 ? std::vector<int>{1, 2, 3, 5, 7} : std::vector<int>{1, 2, 5};
  std::vector<Tick> ticks;
  for (int e = first; e <= last; ++e) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double place = e + std::log10(digit);
      if (place < low - kSlack || place > high + kSlack) continue;
      std::string label;
      if (powers >= 2) {
        if (digit == 1 && e % step == 0) label = power_label(1, e);
        if (digit > 1 && step > 1) continue;
      } else if (std::find(labelled.begin(), labelled.end(), digit) != labelled.end()) {
        label = round_label(digit, e);
      }
      ticks.push_back({digit * std::pow(10, e), label});
    }
  }
  return ticks;
}

}  // namespace epsfree
