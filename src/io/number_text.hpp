// Numbers as text: for files, the shortest form that reads back as the same double; for people,
// fewer digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/number_text.hpp"

namespace epsfree {

/// As a TOML float: never mistaken for an integer.
std::string toml_number(double value);

/// Four significant digits, for people; "unknown" for NaN.
std::string short_number(double value);
/// With so many decimals, for people.
std::string fixed_number(double value, int decimals);
/// "3.2 ms", "1 min 20 s", "2 days 3 h": a duration for people.
std::string duration_text(double seconds);

/// The whole of `text` as a number ("inf" and "nan" included), surrounding blanks ignored.
std::optional<double> parse_number(std::string_view text);

/// A word that a shell takes as it is, in quotes where it needs them.
std::string shell_word(const std::string& word);

}  // namespace epsfree
