// A figure as files: two pictures and a table.
#pragma once

#include <string>

#include "report/drawing/figure.hpp"

namespace epsfree {

/// Writes NAME.svg, NAME.pdf and NAME.csv into a directory that exists; values that are not finite
/// are left out of the pictures. Throws ErrorKind::io if a file cannot be written, and with what
/// gnuplot said if it fails.
void draw_figure(const Figure& figure, const std::string& directory);

}  // namespace epsfree
