#include "report/drawing/svg_canvas.hpp"

#include <cmath>
#include <cstdio>

#include "report/drawing/palette.hpp"
#include "report/markup.hpp"

namespace epsfree {
namespace {

// The colours of a light page (page_style.hpp).
constexpr const char* kInk = "#1b1f24";
constexpr const char* kSoft = "#57606a";
constexpr const char* kFaint = "#d0d7de";
constexpr const char* kFonts = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// A hundredth of a pixel is seen by nobody.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string short_one = text;
  while (short_one.back() == '0') short_one.pop_back();
  if (short_one.back() == '.') short_one.pop_back();
  return short_one == "-0" ? "0" : short_one;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escape_markup(value) + "\"";
}

std::string attribute(const char* name, double value) { return attribute(name, number(value)); }

std::string stroked(const SvgStroke& stroke) {
  // As style: attributes do not take the page's variables.
  std::string text = " fill=\"none\" style=\"stroke:" + escape_markup(stroke.colour) + "\"" +
                     attribute("stroke-width", stroke.width);
  if (!stroke.dash.empty()) text += attribute("stroke-dasharray", stroke.dash);
  if (stroke.opacity < 1) text += attribute("stroke-opacity", stroke.opacity);
  return text;
}

std::string filled(const std::string& colour, double opacity) {
  return " style=\"fill:" + escape_markup(colour) + "\"" +
         (opacity < 1 ? attribute("fill-opacity", opacity) : std::string());
}

std::string steps(const std::vector<SvgPoint>& points) {
  std::string text;
  for (const SvgPoint& point : points) {
    text += (text.empty() ? "M" : "L") + number(point.x) + " " + number(point.y);
  }
  return text;
}

/// Markup of "10^{-2}" with the power raised.
std::string raised_powers(const std::string& text, double size) {
  std::string result;
  std::size_t at = 0;
  const std::string step = number(0.35 * size);
  const auto plain = [&](const std::string& part) {
    // Back to the line after a power.
    if (part.empty()) return std::string();
    return at == 0 ? escape_markup(part)
                   : "<tspan dy=\"" + step + "\">" + escape_markup(part) + "</tspan>";
  };
  for (;;) {
    const std::size_t open = text.find("^{", at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) break;
    result += plain(text.substr(at, open - at)) + "<tspan dy=\"-" + step + "\" font-size=\"" +
              number(0.75 * size) + "\">" + escape_markup(text.substr(open + 2, close - open - 2)) +
              "</tspan>";
    at = close + 1;
  }
  return result + plain(text.substr(at));
}

/// Around the origin, with about the area of a circle of this radius.
std::vector<SvgPoint> marker_outline(SvgMarker shape, double radius) {
  const double square = 0.9 * radius, diamond = 1.3 * radius;
  const double up = shape == SvgMarker::inverted_triangle ? -1 : 1;
  switch (shape) {
    case SvgMarker::circle:
      break;  // not made of corners
    case SvgMarker::square:
      return {{-square, -square}, {square, -square}, {square, square}, {-square, square}};
    case SvgMarker::diamond:
      return {{0, -diamond}, {diamond, 0}, {0, diamond}, {-diamond, 0}};
    case SvgMarker::triangle:
    case SvgMarker::inverted_triangle:
      return {{0, -1.4 * up * radius},
              {1.25 * radius, 0.8 * up * radius},
              {-1.25 * radius, 0.8 * up * radius}};
    case SvgMarker::plus:
    case SvgMarker::cross: {
      const double arm = 1.3 * radius, half = 0.4 * radius;
      std::vector<SvgPoint> corners = {{-half, -arm}, {half, -arm}, {half, -half}, {arm, -half},
                                       {arm, half},   {half, half}, {half, arm},   {-half, arm},
                                       {-half, half}, {-arm, half}, {-arm, -half}, {-half, -half}};
      if (shape == SvgMarker::plus) return corners;
      for (SvgPoint& each : corners) {  // by 45 degrees
        each = {M_SQRT1_2 * (each.x - each.y), M_SQRT1_2 * (each.x + each.y)};
      }
      return corners;
    }
  }
  return {};
}

}  // namespace

std::string SvgCanvas::colour(const std::string& light) const {
  return place_ == SvgPlace::page ? page_colour(light) : light;
}

std::string SvgCanvas::soft_colour() const {
  return place_ == SvgPlace::page ? std::string("var(--soft,") + kSoft + ")" : kSoft;
}

std::string SvgCanvas::faint_colour() const {
  return place_ == SvgPlace::page ? std::string("var(--line,") + kFaint + ")" : kFaint;
}

void SvgCanvas::line(SvgPoint from, SvgPoint to, const SvgStroke& stroke) {
  path({from, to}, stroke);
}

void SvgCanvas::path(const std::vector<SvgPoint>& points, const SvgStroke& stroke) {
  if (points.size() < 2) return;
  body_ += "<path d=\"" + steps(points) + "\"" + stroked(stroke) + "/>\n";
}

void SvgCanvas::area(const std::vector<std::vector<SvgPoint>>& outlines, const std::string& colour,
                     double opacity, SvgFill fill) {
  std::string text;
  for (const std::vector<SvgPoint>& outline : outlines) {
    if (outline.size() > 2) text += steps(outline) + "Z";
  }
  if (text.empty()) return;
  const std::string rule = fill == SvgFill::with_holes ? " fill-rule=\"evenodd\"" : "";
  body_ += "<path" + rule + " d=\"" + text + "\"" + filled(colour, opacity) + "/>\n";
}

void SvgCanvas::rectangle(SvgPoint corner, double width, double height, const std::string& colour,
                          double opacity) {
  body_ += "<rect" + attribute("x", corner.x) + attribute("y", corner.y) +
           attribute("width", width) + attribute("height", height) + filled(colour, opacity) +
           "/>\n";
}

void SvgCanvas::frame(SvgPoint corner, double width, double height, const SvgStroke& stroke) {
  body_ += "<rect" + attribute("x", corner.x) + attribute("y", corner.y) +
           attribute("width", width) + attribute("height", height) + stroked(stroke) + "/>\n";
}

void SvgCanvas::markers(const std::vector<SvgPoint>& centres, SvgMarker shape, double radius,
                        const std::string& colour, double opacity) {
  if (centres.empty()) return;
  if (shape == SvgMarker::circle) {
    // A line of no length with round ends is a dot.
    std::string text;
    for (const SvgPoint& each : centres) text += "M" + number(each.x) + " " + number(each.y) + "h0";
    body_ += "<path stroke-linecap=\"round\" d=\"" + text + "\"" +
             stroked({.colour = colour, .width = 2 * radius, .opacity = opacity}) + "/>\n";
    return;
  }
  std::vector<std::vector<SvgPoint>> outlines;
  for (const SvgPoint& each : centres) {
    std::vector<SvgPoint>& outline = outlines.emplace_back(marker_outline(shape, radius));
    for (SvgPoint& corner : outline) corner = {each.x + corner.x, each.y + corner.y};
  }
  area(outlines, colour, opacity, SvgFill::all);
}

void SvgCanvas::add_text(SvgPoint at, const std::string& markup, SvgAnchor anchor, double size,
                         bool soft, double angle) {
  const char* where = anchor == SvgAnchor::start    ? "start"
                      : anchor == SvgAnchor::middle ? "middle"
                                                    : "end";
  const std::string look = place_ == SvgPlace::page ? " class=\"soft\"" : attribute("fill", kSoft);
  body_ += "<text" + attribute("x", at.x) + attribute("y", at.y) +
           (angle == 0 ? std::string()
                       : attribute("transform", "rotate(" + number(angle) + " " + number(at.x) +
                                                    " " + number(at.y) + ")")) +
           attribute("text-anchor", where) + attribute("font-size", size) + (soft ? look : "") +
           ">" + markup + "</text>\n";
}

void SvgCanvas::text(SvgPoint at, const std::string& text, SvgAnchor anchor, double size, bool soft,
                     double angle) {
  add_text(at, escape_markup(text), anchor, size, soft, angle);
}

void SvgCanvas::tick_label(SvgPoint at, const std::string& label, SvgAnchor anchor, double size) {
  add_text(at, raised_powers(label, size), anchor, size, true, 0);
}

void SvgCanvas::begin_clip(const std::string& id, SvgPoint corner, double width, double height) {
  body_ += "<clipPath" + attribute("id", id) + "><rect" + attribute("x", corner.x) +
           attribute("y", corner.y) + attribute("width", width) + attribute("height", height) +
           "/></clipPath><g" + attribute("clip-path", "url(#" + id + ")") + ">\n";
}

void SvgCanvas::end_clip() { body_ += "</g>\n"; }

std::string SvgCanvas::finish(const std::string& id, const std::string& title,
                              const std::string& description) const {
  const bool file = place_ == SvgPlace::file;
  return std::string(file ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : "") +
         "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"" +
         (file ? attribute("width", width_) + attribute("height", height_) : "") +
         " viewBox=\"0 0 " + number(width_) + " " + number(height_) + "\"" +
         (file ? attribute("font-family", kFonts) + attribute("fill", kInk) : "") +
         attribute("aria-labelledby", id + "-title") + attribute("aria-describedby", id + "-desc") +
         ">\n<title" + attribute("id", id + "-title") + ">" + escape_markup(title) +
         "</title>\n<desc" + attribute("id", id + "-desc") + ">" + escape_markup(description) +
         "</desc>\n" +
         (file ? "<rect" + attribute("width", width_) + attribute("height", height_) +
                     attribute("fill", "#ffffff") + "/>\n"
               : "") +
         body_ + "</svg>\n";
}

}  // namespace epsfree
