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

/// The same with another separator before the last: "a, b or c".
inline std::string joined(const std::vector<std::string>& words, std::string_view separator,
                          std::string_view last) {
  if (words.size() < 2) return joined(words, separator);
  const std::vector<std::string> others(words.begin(), words.end() - 1);
  return joined(others, separator) + std::string(last) + words.back();
}

}  // namespace epsfree
