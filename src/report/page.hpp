// A page of figures and tables as data, and as HTML that needs nothing but the files beside it, or
// nothing at all where its figures are in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/drawing/figure.hpp"

namespace epsfree {

struct PageLink {
  std::string text;
  std::string target;  ///< a file relative to the page, or an address
};

/// NAME.svg as the image, with links to its files; or all of it in the page itself.
struct PageFigure {
  std::string name;      ///< without its ending; relative to the page, '/' for folders
  std::string title;     ///< of the image's text alternative; empty: the caption is
  std::string caption;   ///< below it; may be empty
  std::string svg = {};  ///< the picture, where it is part of the page
  std::string csv = {};  ///< with it, the data behind it, to be downloaded
  bool wide = false;     ///< takes the whole row
  /// The same picture for narrow screens, in place of `svg` there; empty: that one is scaled down.
  std::string narrow_svg = {};
  bool has_pdf = true;  ///< whether there is a NAME.pdf to link to
};

/// As drawn by `draw_figure` beside the page.
PageFigure page_figure(const Figure& figure, bool has_pdf);

/// The figure drawn and its data, both in the page.
PageFigure inline_figure(const Figure& figure);

struct PageRow {
  std::vector<std::string> cells;
  /// "holds", "warns" and "fails" are green, yellow and red, "open" is grey; the cells must say it
  /// too, for those who cannot tell the colours apart. Others are kept as the row's class.
  std::string kind = {};
};

struct PageTable {
  std::string caption;  ///< above it; may be empty
  std::vector<std::string> header;
  std::vector<PageRow> rows;  ///< short ones are filled up with empty cells
};

/// Text as it is: commands, a file.
struct PageText {
  std::string caption;
  std::string text;
  bool folded = false;  ///< shown when it is asked for
};

/// Its parts in this order; each may be empty.
struct PageSection {
  std::string heading;
  std::vector<std::string> paragraphs = {};
  std::vector<PageTable> tables = {};
  std::vector<PageFigure> figures = {};  ///< side by side where there is room
  std::vector<std::string> notes = {};   ///< paragraphs in small print
  std::vector<PageText> texts = {};
};

/// What the page comes to, above everything else.
struct PageVerdict {
  std::string kind;  ///< as of PageRow
  std::string heading;
  std::vector<std::string> points = {};
};

struct Page {
  std::string title;
  std::vector<std::string> lead = {};
  std::vector<PageLink> links = {};
  std::vector<PageSection> sections = {};
  std::string footer = {};
  std::optional<PageVerdict> verdict = {};  ///< above all but the title
};

/// All texts are plain: they are escaped here.
std::string page_html(const Page& page);

}  // namespace epsfree
