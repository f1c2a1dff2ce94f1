// Numbers as text: the shortest form that reads back as the same double.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/number_text.hpp"

namespace epsfree {

/// As a TOML float: never mistaken for an integer.
std::string toml_number(double value);

/// The whole of `text` as a number ("inf" and "nan" included), surrounding blanks ignored.
std::optional<double> parse_number(std::string_view text);

}  // namespace epsfree
