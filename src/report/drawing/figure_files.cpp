#include "report/drawing/figure_files.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "report/drawing/svg_figure.hpp"

namespace epsfree {

void draw_figure(const Figure& figure, const std::string& directory, const PdfPrinter& printer) {
  const std::string svg = figure_svg(figure, SvgPlace::file);
  const std::string pdf = printer.is_usable() ? printer.print(svg) : "";
  const std::string path = directory + "/" + figure.name;
  write_file_atomically(path + ".svg", svg, Durability::none);
  write_file_atomically(path + ".csv", figure_csv(figure), Durability::none);
  if (printer.is_usable()) {
    write_file_atomically(path + ".pdf", pdf, Durability::none);
  } else {
    // It would show another figure than its neighbours.
    std::error_code ignored;
    std::filesystem::remove(path + ".pdf", ignored);
  }
}

}  // namespace epsfree
