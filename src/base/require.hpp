// Checks on single numbers that users give.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "base/number_text.hpp"
#include "epsfree/error.hpp"

namespace epsfree {

/// Throws ErrorKind::input with field, value and constraint unless the condition holds.
template <class Number>
void require(bool holds, const std::string& field, Number value, const std::string& constraint) {
  if (holds) return;
  std::string shown;
  if constexpr (std::is_floating_point_v<Number>) {
    shown = number_text(value);
  } else {
    shown = std::to_string(value);
  }
  throw Error(ErrorKind::input, field + " is " + shown + "; it must be " + constraint);
}

/// The same for a whole number and its range.
inline void require_between(std::int64_t low, std::int64_t high, const std::string& field,
                            std::int64_t value) {
  require(value >= low && value <= high, field, value,
          "from " + std::to_string(low) + " to " + std::to_string(high));
}

}  // namespace epsfree
