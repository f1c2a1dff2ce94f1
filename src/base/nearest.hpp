// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace epsfree {

/// The candidate with the smallest edit distance to `word`, or an empty string if none is close.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace epsfree
