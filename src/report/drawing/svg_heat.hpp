// A heat map as SVG, and the scale of its colours.
#pragma once

#include "report/drawing/svg_axes.hpp"

namespace epsfree {

/// How much of the picture's width the scale takes; 0 without a value that can be shown.
double colour_scale_width(const Figure& figure);

/// The cells; those that are not finite are left out.
void draw_heat_map(SvgCanvas& canvas, const SvgAxes& axes);

/// To the right of the axes.
void draw_colour_scale(SvgCanvas& canvas, const SvgAxes& axes);

}  // namespace epsfree
