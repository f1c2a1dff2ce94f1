// Text for SVG, HTML and CSV.
#pragma once

#include <string>
#include <string_view>

namespace epsfree {

/// Without what has no place in a line of text: control characters become blanks, and what is not
/// UTF-8 the replacement character.
std::string clean_text(std::string_view text);

/// Clean text with & < > " ' as entities, for elements and quoted attributes.
std::string escape_markup(std::string_view text);

/// A field of CSV: in quotes where it needs them.
std::string csv_text(const std::string& text);

/// How many characters a clean text has.
std::size_t text_length(std::string_view text);

}  // namespace epsfree
