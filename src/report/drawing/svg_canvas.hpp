// Shapes as SVG that stands in a page and takes its colours and fonts.
#pragma once

#include <string>
#include <vector>

namespace epsfree {

/// In pixels from the upper left corner.
struct SvgPoint {
  double x = 0, y = 0;
};

struct SvgStroke {
  std::string colour = "currentColor";  ///< as CSS has it
  double width = 1;
  std::string dash = {};  ///< lengths of dashes and gaps; empty: none
  double opacity = 1;
};

enum class SvgAnchor { start, middle, end };

class SvgCanvas {
 public:
  SvgCanvas(double width, double height) : width_(width), height_(height) {}

  void line(SvgPoint from, SvgPoint to, const SvgStroke& stroke);
  /// Through all of them; a closed one may be filled.
  void path(const std::vector<SvgPoint>& points, const SvgStroke& stroke);
  void area(const std::vector<std::vector<SvgPoint>>& outlines, const std::string& colour,
            double opacity);
  void rectangle(SvgPoint corner, double width, double height, const std::string& colour,
                 double opacity);
  void frame(SvgPoint corner, double width, double height, const SvgStroke& stroke);
  /// Several in one element, as there may be thousands.
  void dots(const std::vector<SvgPoint>& centres, double radius, const std::string& colour,
            double opacity = 1);
  /// `text` is plain, but for what stands in ^{...}, which is raised. Turned by `angle` degrees
  /// clockwise.
  void text(SvgPoint at, const std::string& text, SvgAnchor anchor, double size = 12,
            bool soft = false, double angle = 0);

  /// Whatever follows is cut off at this rectangle, until end_clip. `id` must be unique in the
  /// page.
  void begin_clip(const std::string& id, SvgPoint corner, double width, double height);
  void end_clip();

  /// The whole element, with a title and a description for those who cannot see it.
  std::string finish(const std::string& id, const std::string& title,
                     const std::string& description) const;

 private:
  double width_, height_;
  std::string body_;
};

}  // namespace epsfree
