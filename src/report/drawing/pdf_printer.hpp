// SVG as PDF, by rsvg-convert.
#pragma once

#include <string>

namespace epsfree {

/// The program is optional: without it there are no PDFs.
class PdfPrinter {
 public:
  /// Looks for rsvg-convert on the PATH, and tries it on a small picture.
  PdfPrinter();

  bool is_usable() const { return why_not_.empty(); }
  /// A sentence with what to install; empty: it is usable.
  const std::string& why_not() const { return why_not_; }

  /// The same SVG gives the same bytes; a pixel becomes a point. Throws ErrorKind::io, with what
  /// the program said, if it fails.
  std::string print(const std::string& svg) const;

 private:
  std::string program_;
  std::string why_not_;
};

}  // namespace epsfree
