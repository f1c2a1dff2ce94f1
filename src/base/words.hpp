// Lists of words in messages and files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epsfree {

/// "a, b, c".
inline std::string joined(const std::vector<std::string>& words,
                          std::string_view separator = ", ") {
  std::string list;
  for (const std::string& word : words) {
    if (!list.empty()) list += separator;
    list += word;
  }
  return list;
}

}  // namespace epsfree
