// A figure as files: two pictures and a table.
#pragma once

#include <string>

#include "report/drawing/figure.hpp"
#include "report/drawing/pdf_printer.hpp"

namespace epsfree {

/// Writes NAME.svg, NAME.pdf and NAME.csv into a directory that exists; values that are not finite
/// are left out of the pictures. If the printer is not usable there is no NAME.pdf afterwards, not
/// even an older one. Throws ErrorKind::io if a file cannot be written or a usable printer fails.
void draw_figure(const Figure& figure, const std::string& directory, const PdfPrinter& printer);

}  // namespace epsfree
