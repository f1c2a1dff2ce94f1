#include "report/figure_layout.hpp"

#include <algorithm>

#include "report/figure_scale.hpp"
#include "report/markup.hpp"

namespace epsfree {
namespace {

constexpr double kHeight = 348;  // without the legend, and with short names of categories
constexpr double kLine = 18;
constexpr double kGap = 6;
constexpr double kTickLabels = 31;
constexpr double kLegendSample = 46;
constexpr double kRise = 0.55;  // of text at 35 degrees, per its length

double width_of(const std::string& text) {
  return kCharacterWidth * static_cast<double>(text_length(text));
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
    if (can_be_shown(series.x[i], figure.x.log) && can_be_shown(series.y[i], figure.y.log)) {
      return true;
    }
  }
  return false;
}

FigureLayout figure_layout(const Figure& figure) {
  int entries = 0;
  double widest = 0;
  for (const Series& series : figure.series) {
    if (series.label.empty() || !is_shown(series, figure)) continue;
    ++entries;
    widest = std::max(widest, kLegendSample + width_of(series.label));
  }
  FigureLayout layout;
  double bottom = kGap, extra = 0;
  if (entries > 0) {
    const int fit = std::clamp(static_cast<int>((kFigureWidth - 20) / widest), 1, entries);
    const int rows = (entries + fit - 1) / fit;
    layout.legend_columns = (entries + rows - 1) / rows;  // two and two rather than three and one
    extra = kLine * rows;
    bottom += extra;
    layout.legend_top = bottom;
    bottom += kGap;
  }
  if (!figure.x.label.empty()) {
    layout.x_label = bottom + kLine / 2;
    bottom += kLine;
  }
  double longest = 0;
  for (const std::string& name : figure.categories) longest = std::max(longest, width_of(name));
  const double room =
      (kFigureWidth - 80) / std::max(1.0, static_cast<double>(figure.categories.size()));
  layout.rotated_categories = longest + kGap > room;
  const double ticks = kTickLabels + (layout.rotated_categories ? kRise * longest : 0);
  // The axes lose some of their height to long names, but not most of it.
  extra += std::max(0.0, ticks - kHeight / 4);
  layout.axes_low = bottom + ticks;
  layout.height = kHeight + extra;
  layout.axes_high = layout.height - (figure.title.empty() ? 2 * kGap : kLine + 2 * kGap);
  return layout;
}

}  // namespace epsfree
