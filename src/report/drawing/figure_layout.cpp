#include "report/drawing/figure_layout.hpp"

#include <algorithm>
#include <numeric>

#include "report/drawing/figure_scale.hpp"
#include "report/markup.hpp"

namespace epsfree {
namespace {

constexpr double kHeight = 348;  // without the legend, and with short names of categories
constexpr double kLine = 18;
constexpr double kPanelGap = 6;
constexpr double kTickLabels = 26;
constexpr double kLegendSample = kLegendSampleWidth + 8;  // with the gap to the label
constexpr double kLegendGap = 16;                         // between columns
constexpr double kRise = 0.55;                            // of text at 35 degrees, per its length

double width_of(const std::string& text) {
  return kCharacterWidth * static_cast<double>(text_length(text));
}

/// As many columns as fit, each as wide as it needs to be; returns the height.
double place_legend(const Figure& figure, std::vector<LegendEntry>& legend) {
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    if (!series.label.empty() && is_shown(series, figure)) legend.push_back({i});
  }
  const std::size_t count = legend.size();
  if (count == 0) return 0;
  std::vector<double> widths;
  double total = 0;
  std::size_t rows = 0;
  // With so many rows, the columns that are needed; more rows until they fit.
  do {
    ++rows;
    const std::size_t columns = (count + rows - 1) / rows;
    widths.assign(columns, 0);
    for (std::size_t i = 0; i < count; ++i) {
      double& width = widths[i % columns];
      width = std::max(width, kLegendSample + width_of(figure.series[legend[i].series].label));
    }
    total = std::accumulate(widths.begin(), widths.end(),
                            kLegendGap * static_cast<double>(columns - 1));
  } while (total > kFigureWidth - 2 * kPanelGap && rows < count);
  std::vector<double> starts{std::max(kPanelGap, (kFigureWidth - total) / 2)};
  for (const double width : widths) starts.push_back(starts.back() + width + kLegendGap);
  for (std::size_t i = 0; i < count; ++i) {
    const auto lines_below = static_cast<double>(rows - 1 - i / widths.size());
    legend[i].x = starts[i % widths.size()];
    legend[i].y = kPanelGap + kLine * (lines_below + 0.5);
  }
  return kLine * static_cast<double>(rows);
}

}  // namespace

bool is_shown(const Series& series, const Figure& figure) {
  if (series.kind == SeriesKind::level) {
    return series.y.size() > 0 && can_be_shown(series.y[0], figure.y.log);
  }
  if (series.kind == SeriesKind::vertical) {
    return series.x.size() > 0 && can_be_shown(series.x[0], figure.x.log);
  }
  for (Eigen::Index i = 0; i < series.x.size(); ++i) {
    if (series.kind == SeriesKind::band) {
      if (band_is_shown(series, figure, i)) return true;
      continue;
    }
    if (can_be_shown(series.x[i], figure.x.log) && can_be_shown(series.y[i], figure.y.log)) {
      return true;
    }
  }
  return false;
}

FigureLayout figure_layout(const Figure& figure) {
  FigureLayout layout;
  const double legend = place_legend(figure, layout.legend);
  double bottom = kPanelGap + legend + (legend > 0 ? kPanelGap : 0), extra = legend;
  if (!figure.x.label.empty()) {
    layout.x_label = bottom + kLine / 2;
    bottom += kLine;
  }
  double longest = 0;
  for (const std::string& name : figure.categories) longest = std::max(longest, width_of(name));
  const double room =
      (kFigureWidth - 80) / std::max(1.0, static_cast<double>(figure.categories.size()));
  layout.rotated_categories = longest + kPanelGap > room;
  const double ticks = kTickLabels + (layout.rotated_categories ? kRise * longest : 0);
  // The axes lose some of their height to long names, but not most of it.
  extra += std::max(0.0, ticks - kHeight / 4);
  layout.axes_low = bottom + ticks;
  layout.height = kHeight + extra;
  layout.axes_high = layout.height - (figure.title.empty() ? 2 * kPanelGap : kLine + 2 * kPanelGap);
  return layout;
}

}  // namespace epsfree
