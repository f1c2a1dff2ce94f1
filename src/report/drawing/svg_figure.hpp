// A figure as SVG, made without any other program.
#pragma once

#include <string>

#include "report/drawing/figure.hpp"
#include "report/drawing/svg_canvas.hpp"

namespace epsfree {

/// Values that are not finite are left out. Throws ErrorKind::usage where its parts do not fit.
std::string figure_svg(const Figure& figure, SvgPlace place = SvgPlace::page);

}  // namespace epsfree
