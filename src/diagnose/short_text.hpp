// Numbers as sentences show them.
#pragma once

#include <cstdio>
#include <string>

namespace epsfree {

/// Three significant digits.
inline std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace epsfree
