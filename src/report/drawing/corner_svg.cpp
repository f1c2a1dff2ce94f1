#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/drawing/contour.hpp"
#include "report/drawing/corner.hpp"
#include "report/drawing/figure_scale.hpp"
#include "report/drawing/palette.hpp"
#include "report/drawing/svg_canvas.hpp"
#include "report/markup.hpp"

namespace epsfree {
namespace {

constexpr double kLeft = 66, kTop = 10, kBottom = 48, kRight = 12;
constexpr double kGap = 8;  // between panels
constexpr double kWidest = 320, kWidth = 760;
constexpr double kTelephoneWidth = 360, kTelephoneLeft = 58;
constexpr std::size_t kMostOnTelephone = 5;  // parameters; more have panels of less than 50 pixels
constexpr double kLegendHeight = 26;
constexpr double kTickCharacter = 6.2, kTickHeight = 14;  // of labels at 10.5 points
constexpr double kNameCharacter = 7.4;                    // of names at 12.5 points
const SvgStroke kFrame{.colour = "var(--soft,#57606a)", .width = 0.8};

/// Draws one corner plot.
class Corner {
 public:
  Corner(const CornerPlot& plot, std::string name, CornerWidth width)
      : plot_(plot),
        name_(std::move(name)),
        count_(plot.marginals.size()),
        left_(width == CornerWidth::page ? kLeft : kTelephoneLeft),
        size_(std::min(kWidest,
                       ((width == CornerWidth::page ? kWidth : kTelephoneWidth) - left_ - kRight) /
                               static_cast<double>(count_) -
                           kGap)),
        canvas_(left_ + kRight + static_cast<double>(count_) * (size_ + kGap),
                kTop + kBottom + kLegendHeight + static_cast<double>(count_) * (size_ + kGap)) {}

  std::string draw(const std::string& title, const std::string& description) {
    for (std::size_t d = 0; d < count_; ++d) marginal(d);
    for (const CornerPair& each : plot_.pairs) {
      pair(each);
      correlation(each);
    }
    legend();
    return canvas_.finish(name_, title, description);
  }

 private:
  const CornerMarginal& of(std::size_t d) const { return plot_.marginals[d]; }
  SvgPoint corner(std::size_t row, std::size_t column) const {
    return {left_ + static_cast<double>(column) * (size_ + kGap),
            kTop + static_cast<double>(row) * (size_ + kGap)};
  }
  double share(std::size_t d, double value) const {
    return (value - of(d).low) / (of(d).high - of(d).low);
  }

  /// As much of the name as its panel has room for: its beginning and its end, since names often
  /// differ in a number at their end.
  std::string short_name(std::size_t d) const {
    const std::string name = clean_text(of(d).name);
    const auto most = static_cast<std::size_t>(std::max(4.0, (size_ + kGap) / kNameCharacter));
    const std::size_t length = text_length(name);
    if (length <= most) return name;
    const std::size_t end = (most - 1) / 2, start = most - 1 - end;
    std::string text;
    std::size_t character = 0;  // the number of the one that c belongs to, from one
    for (const char c : name) {
      const bool begins = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      if (begins && ++character == start + 1) text += "…";
      if (character <= start || character > length - end) text += c;
    }
    return text;
  }

  /// Whether the truth is: it may lie too far away.
  bool is_on_axis(std::size_t d) const {
    const double place = share(d, (*plot_.truth)[static_cast<Index>(d)]);
    return place >= 0 && place <= 1;
  }

  /// Those ticks whose labels, of this size along the axis, leave each other and those of the next
  /// panel room.
  template <class Size>
  std::vector<Tick> ticks(std::size_t d, const Size& size_of) const {
    std::vector<Tick> all;
    for (Tick& tick : linear_ticks({of(d).low, of(d).high})) {
      const double at = size_ * share(d, tick.value), half = size_of(tick) / 2;
      if (at >= half - kGap / 2 && at <= size_ - half + kGap / 2) all.push_back(std::move(tick));
    }
    const std::size_t most = size_ > 150 ? 5 : size_ > 90 ? 3 : 2;
    if (all.size() <= most) return all;
    const std::size_t step = (all.size() + most - 1) / most;
    std::vector<Tick> some;
    for (std::size_t i = (all.size() - 1) % step / 2; i < all.size(); i += step) {
      some.push_back(all[i]);
    }
    return some;
  }
  std::vector<Tick> ticks_across(std::size_t d) const {
    return ticks(d, [](const Tick& tick) {
      return kTickCharacter * static_cast<double>(text_length(tick.label));
    });
  }
  std::vector<Tick> ticks_up(std::size_t d) const {
    return ticks(d, [](const Tick&) { return kTickHeight; });
  }

  void panel_axes(std::size_t row, std::size_t column) {
    const SvgPoint at = corner(row, column);
    canvas_.frame(at, size_, size_, kFrame);
    if (row + 1 == count_) {
      for (const Tick& tick : ticks_across(column)) {
        const double x = at.x + size_ * share(column, tick.value);
        canvas_.line({x, at.y + size_}, {x, at.y + size_ + 4}, kFrame);
        canvas_.tick_label({x, at.y + size_ + 16}, tick.label, SvgAnchor::middle, 10.5);
      }
      canvas_.text({at.x + size_ / 2, at.y + size_ + 36}, short_name(column), SvgAnchor::middle,
                   12.5);
    }
    if (column == 0 && row > 0) {
      for (const Tick& tick : ticks_up(row)) {
        const double y = at.y + size_ * (1 - share(row, tick.value));
        canvas_.line({at.x - 4, y}, {at.x, y}, kFrame);
        canvas_.tick_label({at.x - 7, y + 4}, tick.label, SvgAnchor::end, 10.5);
      }
      canvas_.text({13, at.y + size_ / 2}, short_name(row), SvgAnchor::middle, 12.5, false, -90);
    }
  }

  void marginal(std::size_t d) {
    const SvgPoint at = corner(d, d);
    const CornerMarginal& own = of(d);
    double most = own.density.size() > 0 ? own.density.maxCoeff() : 1;
    if (!(most > 0) || !std::isfinite(most)) most = 1;
    const auto place = [&](double x, double density) {
      return SvgPoint{at.x + size_ * share(d, x),
                      at.y + size_ * (1 - std::min(1.5, 0.93 * density / most))};
    };
    canvas_.begin_clip(name_ + "-m" + std::to_string(d), at, size_, size_);
    std::vector<SvgPoint> line, outline{place(own.low, 0)}, prior;
    for (Index i = 0; i < own.x.size(); ++i) {
      line.push_back(place(own.x[i], own.density[i]));
      if (own.prior.size() > 0 && std::isfinite(own.prior[i])) {
        prior.push_back(place(own.x[i], own.prior[i]));
      }
    }
    outline.insert(outline.end(), line.begin(), line.end());
    outline.push_back(place(own.high, 0));
    canvas_.area({outline}, page_colour(kPosteriorColour), 0.18);
    canvas_.path(prior, {.colour = page_colour(kPriorColour), .width = 1.4, .dash = "5 3"});
    canvas_.path(line, {.colour = page_colour(kPosteriorColour), .width = 1.8});
    if (plot_.truth) {
      const double x = at.x + size_ * share(d, (*plot_.truth)[static_cast<Index>(d)]);
      canvas_.line({x, at.y}, {x, at.y + size_},
                   {.colour = page_colour(kTruthColour), .width = 1.4});
    }
    canvas_.end_clip();
    panel_axes(d, d);
  }

  void pair(const CornerPair& each) {
    const auto row = static_cast<std::size_t>(each.second);
    const auto column = static_cast<std::size_t>(each.first);
    const SvgPoint at = corner(row, column);
    const auto place = [&](double x, double y) {
      return SvgPoint{at.x + size_ * share(column, x), at.y + size_ * (1 - share(row, y))};
    };
    const std::vector<double> shares(std::begin(kContourShares), std::end(kContourShares));
    for (const double level : mass_levels(each.density, shares)) {
      std::vector<std::vector<SvgPoint>> outlines;
      for (const Eigen::Matrix2Xd& line : contour_lines(each.x, each.y, each.density, level)) {
        std::vector<SvgPoint> points;
        for (const auto point : line.colwise()) points.push_back(place(point[0], point[1]));
        if (!points.empty()) points.push_back(points.front());
        outlines.push_back(std::move(points));
      }
      canvas_.area(outlines, page_colour(kPosteriorColour), 0.2);
      for (const auto& outline : outlines) {
        canvas_.path(outline, {.colour = page_colour(kPosteriorColour), .width = 1.2});
      }
    }
    if (plot_.truth) {
      const SvgPoint truth = place((*plot_.truth)[each.first], (*plot_.truth)[each.second]);
      const SvgStroke stroke{.colour = page_colour(kTruthColour), .width = 1.1};
      if (is_on_axis(row)) canvas_.line({at.x, truth.y}, {at.x + size_, truth.y}, stroke);
      if (is_on_axis(column)) canvas_.line({truth.x, at.y}, {truth.x, at.y + size_}, stroke);
    }
    panel_axes(row, column);
  }

  /// Mirrored to the other side of the diagonal, where there is room.
  void correlation(const CornerPair& each) {
    const SvgPoint at =
        corner(static_cast<std::size_t>(each.first), static_cast<std::size_t>(each.second));
    if (!std::isfinite(each.correlation)) return;  // one of them does not vary
    char text[32];
    std::snprintf(text, sizeof text, "ρ = %s%.2f", each.correlation <= -0.005 ? "−" : "",
                  std::abs(each.correlation));
    canvas_.text({at.x + size_ / 2, at.y + size_ / 2 + 4}, text, SvgAnchor::middle,
                 std::clamp(size_ / 7, 8.0, 15.0), true);
  }

  void legend() {
    const double y =
        kTop + kBottom + static_cast<double>(count_) * (size_ + kGap) + kLegendHeight / 2;
    double x = left_;
    const auto entry = [&](const SvgStroke& stroke, const std::string& text) {
      canvas_.line({x, y}, {x + 24, y}, stroke);
      canvas_.text({x + 30, y + 4}, text, SvgAnchor::start, 11.5);
      x += 110;
    };
    entry({.colour = page_colour(kPosteriorColour), .width = 1.8}, "posterior");
    if (plot_.marginals.front().prior.size() > 0) {
      entry({.colour = page_colour(kPriorColour), .width = 1.4, .dash = "5 3"}, "prior");
    }
    if (plot_.truth) entry({.colour = page_colour(kTruthColour), .width = 1.4}, "truth");
  }

  const CornerPlot& plot_;
  std::string name_;
  std::size_t count_;
  double left_;
  double size_;
  SvgCanvas canvas_;
};

}  // namespace

std::string corner_svg(const CornerPlot& plot, const std::string& name, const std::string& title,
                       const std::string& description, CornerWidth width) {
  return Corner(plot, name, width).draw(title, description);
}

std::string narrow_corner_svg(const CornerPlot& plot, const std::string& name,
                              const std::string& title, const std::string& description) {
  if (plot.marginals.size() > kMostOnTelephone) return "";
  return corner_svg(plot, name, title, description, CornerWidth::telephone);
}

}  // namespace epsfree
