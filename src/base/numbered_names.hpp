// Names for things that have none of their own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace epsfree {

/// "x1", "x2", ... for a prefix of "x".
inline std::vector<std::string> numbered_names(const std::string& prefix, std::ptrdiff_t count) {
  std::vector<std::string> names;
  for (std::ptrdiff_t i = 1; i <= count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

}  // namespace epsfree
