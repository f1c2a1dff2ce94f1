#include "base/number_text.hpp"

#include <charconv>
#include <cmath>

namespace epsfree {

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return std::string(buffer, end);
}

}  // namespace epsfree
