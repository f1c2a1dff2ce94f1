// What values an option may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace epsfree {

/// The numbers that an option may have, and how a message says it. Whole numbers are ranges of
/// numbers, too: none is larger than a double holds exactly.
struct OptionRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool includes_low = true;
  bool includes_high = true;
  bool or_zero = false;  ///< zero is allowed beside it, and means that the library chooses
  std::string text = {};
  std::size_t most_entries = 0;  ///< the largest size of a list; 0: any

  /// Never true for NaN; true for an infinite number only where `high` is infinite and included.
  bool contains(double value) const {
    if (or_zero && value == 0) return true;
    return (includes_low ? value >= low : value > low) &&
           (includes_high ? value <= high : value < high);
  }
};

/// Every value.
inline OptionRange any_value() { return {}; }

/// A whole number.
inline OptionRange from_to(std::int64_t low, std::int64_t high) {
  return {.low = static_cast<double>(low),
          .high = static_cast<double>(high),
          .text = "from " + std::to_string(low) + " to " + std::to_string(high)};
}

/// A finite number of at least `low`; `text` says so.
inline OptionRange at_least(double low, std::string text) {
  return {.low = low, .includes_high = false, .text = std::move(text)};
}

inline OptionRange positive(std::string text) {
  return {.low = 0, .includes_low = false, .includes_high = false, .text = std::move(text)};
}

/// low < value < high
inline OptionRange between(double low, double high, std::string text) {
  return {.low = low,
          .high = high,
          .includes_low = false,
          .includes_high = false,
          .text = std::move(text)};
}

/// low <= value < high
inline OptionRange from_below(double low, double high, std::string text) {
  return {.low = low, .high = high, .includes_high = false, .text = std::move(text)};
}

/// low <= value <= high
inline OptionRange within(double low, double high, std::string text) {
  return {.low = low, .high = high, .text = std::move(text)};
}

/// The same range, or zero.
inline OptionRange or_zero(OptionRange range, std::string text) {
  range.or_zero = true;
  range.text = std::move(text);
  return range;
}

}  // namespace epsfree
