// A figure as a script for gnuplot.
#pragma once

#include <string>

#include "report/drawing/figure.hpp"

namespace epsfree {

enum class PictureFormat { svg, pdf };

/// Complete, with its data; gnuplot writes the picture to its standard output.
std::string gnuplot_script(const Figure& figure, PictureFormat format);

}  // namespace epsfree
