// A page of figures and tables as data, and as HTML that needs nothing but the files beside it.
#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"

namespace epsfree {

struct PageLink {
  std::string text;
  std::string target;  ///< a file relative to the page, or an address
};

/// NAME.svg as the image, with links to NAME.pdf and NAME.csv.
struct PageFigure {
  std::string name;     ///< without its ending; relative to the page, '/' for folders
  std::string title;    ///< of the image's text alternative; empty: the caption is
  std::string caption;  ///< below it; may be empty
};

/// As drawn by `draw_figure` into `folder`; empty: beside the page.
PageFigure page_figure(const Figure& figure, const std::string& folder = "");

struct PageRow {
  std::vector<std::string> cells;
  /// "holds" and "fails" are green and red, "open" is grey; the cells must say it too, for those
  /// who cannot tell the colours apart. Others are kept as the row's class.
  std::string kind = {};
};

struct PageTable {
  std::string caption;  ///< above it; may be empty
  std::vector<std::string> header;
  std::vector<PageRow> rows;  ///< short ones are filled up with empty cells
};

/// Its parts in this order; each may be empty.
struct PageSection {
  std::string heading;
  std::vector<std::string> paragraphs = {};
  std::vector<PageTable> tables = {};
  std::vector<PageFigure> figures = {};  ///< side by side where there is room
  std::vector<std::string> notes = {};   ///< paragraphs in small print
};

struct Page {
  std::string title;
  std::vector<std::string> lead = {};
  std::vector<PageLink> links = {};
  std::vector<PageSection> sections = {};
  std::string footer = {};
};

/// All texts are plain: they are escaped here.
std::string page_html(const Page& page);

}  // namespace epsfree
