// A figure as SVG that is part of a page, made without any other program.
#pragma once

#include <string>

#include "report/drawing/figure.hpp"

namespace epsfree {

/// Values that are not finite are left out. Throws ErrorKind::usage where its parts do not fit.
std::string figure_svg(const Figure& figure);

}  // namespace epsfree
