// Checks on single numbers that users give.
#pragma once

#include <cmath>
#include <string>
#include <type_traits>

#include "epsfree/error.hpp"

namespace epsfree {

/// Throws ErrorKind::input with field, value and constraint unless the condition holds. Whole
/// numbers are shown without decimals.
template <class Number>
void require(bool holds, const std::string& field, Number value, const std::string& constraint) {
  if (holds) return;
  std::string shown = std::to_string(value);
  if constexpr (std::is_floating_point_v<Number>) {
    if (value == std::floor(value) && std::abs(value) < 1e15) {
      shown = std::to_string(static_cast<long>(value));
    }
  }
  throw Error(ErrorKind::input, field + " is " + shown + "; it must be " + constraint);
}

}  // namespace epsfree
