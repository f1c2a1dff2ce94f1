#include "report/drawing/figure_files.hpp"

#include <cctype>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "report/drawing/gnuplot.hpp"
#include "report/drawing/gnuplot_script.hpp"
#include "report/markup.hpp"

namespace epsfree {
namespace {

/// Gnuplot's own title and description give way to the figure's, for those who cannot see it.
std::string with_text_alternative(std::string svg, const Figure& figure) {
  const std::size_t start = svg.find("<svg");
  const std::size_t end = start == std::string::npos ? start : svg.find('>', start);
  if (end == std::string::npos) throw Error(ErrorKind::io, "gnuplot failed: it made no SVG");
  for (const std::string element : {"title", "desc"}) {
    const std::size_t open = svg.find("<" + element + ">", end);
    const std::string close = "</" + element + ">";
    // Only its own, at the top: there are titles of series further down.
    if (open == std::string::npos || open > svg.find("<g", end)) continue;
    svg.erase(open, svg.find(close, open) + close.size() - open);
  }
  const std::string& title = figure.title.empty() ? figure.name : figure.title;
  svg.insert(end + 1, "\n<title id=\"" + figure.name + "-title\">" + escape_markup(title) +
                          "</title>\n<desc id=\"" + figure.name + "-desc\">" +
                          escape_markup(figure.caption) + "</desc>");
  svg.insert(end, " role=\"img\" aria-labelledby=\"" + figure.name +
                      "-title\" aria-describedby=\"" + figure.name + "-desc\"");
  return svg;
}

/// The same figure is the same file: the time of making goes. Its place has the same number of
/// bytes, as the file's table of contents counts them.
std::string without_date(std::string pdf) {
  const std::string key = "/CreationDate (D:";
  const std::size_t start = pdf.find(key);
  if (start == std::string::npos) return pdf;
  for (std::size_t i = start + key.size(), digits = 0; i < pdf.size() && digits < 14;
       ++i, ++digits) {
    if (std::isdigit(static_cast<unsigned char>(pdf[i])) == 0) break;
    pdf[i] = "20000101000000"[digits];
  }
  return pdf;
}

}  // namespace

void draw_figure(const Figure& figure, const std::string& directory) {
  check_figure(figure);
  const std::string svg = run_gnuplot(gnuplot_script(figure, PictureFormat::svg));
  const std::string pdf = run_gnuplot(gnuplot_script(figure, PictureFormat::pdf));
  if (!pdf.starts_with("%PDF")) throw Error(ErrorKind::io, "gnuplot failed: it made no PDF");
  const std::string path = directory + "/" + figure.name;
  write_file_atomically(path + ".svg", with_text_alternative(svg, figure), Durability::none);
  write_file_atomically(path + ".pdf", without_date(pdf), Durability::none);
  write_file_atomically(path + ".csv", figure_csv(figure), Durability::none);
}

}  // namespace epsfree
