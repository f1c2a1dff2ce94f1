// Shapes as SVG, which stands in a page and takes its colours and fonts, or is a file of its own.
#pragma once

#include <string>
#include <vector>

namespace epsfree {

/// Where a picture stands.
enum class SvgPlace {
  page,  ///< in a page, whose colours, light or dark, and fonts it takes
  file,  ///< alone, with its own size, colours and fonts on white: other programs than browsers
         ///< know no CSS variables
};

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

/// What of an area whose outlines overlap is filled.
enum class SvgFill { with_holes, all };

enum class SvgMarker { circle, square, triangle, diamond, inverted_triangle, plus, cross };

class SvgCanvas {
 public:
  SvgCanvas(double width, double height, SvgPlace place = SvgPlace::page)
      : width_(width), height_(height), place_(place) {}

  /// "#rrggbb" as this place has it.
  std::string colour(const std::string& light) const;
  std::string soft_colour() const;   ///< of axes and their numbers
  std::string faint_colour() const;  ///< of grids

  void line(SvgPoint from, SvgPoint to, const SvgStroke& stroke);
  /// Through all of them; a closed one may be filled.
  void path(const std::vector<SvgPoint>& points, const SvgStroke& stroke);
  void area(const std::vector<std::vector<SvgPoint>>& outlines, const std::string& colour,
            double opacity, SvgFill fill = SvgFill::with_holes);
  void rectangle(SvgPoint corner, double width, double height, const std::string& colour,
                 double opacity);
  void frame(SvgPoint corner, double width, double height, const SvgStroke& stroke);
  /// Several in one element, as there may be thousands.
  void markers(const std::vector<SvgPoint>& centres, SvgMarker shape, double radius,
               const std::string& colour, double opacity = 1);
  /// Turned by `angle` degrees clockwise.
  void text(SvgPoint at, const std::string& text, SvgAnchor anchor, double size = 12,
            bool soft = false, double angle = 0);
  /// A tick's label: what stands in ^{...} is raised.
  void tick_label(SvgPoint at, const std::string& label, SvgAnchor anchor, double size);

  /// Whatever follows is cut off at this rectangle, until end_clip. `id` must be unique in the
  /// page.
  void begin_clip(const std::string& id, SvgPoint corner, double width, double height);
  void end_clip();

  /// The whole element, with a title and a description for those who cannot see it.
  std::string finish(const std::string& id, const std::string& title,
                     const std::string& description) const;

 private:
  void add_text(SvgPoint at, const std::string& markup, SvgAnchor anchor, double size, bool soft,
                double angle);

  double width_, height_;
  SvgPlace place_;
  std::string body_;
};

}  // namespace epsfree
