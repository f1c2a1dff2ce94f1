// Lists of words in messages and files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epsfree {

/// "a, b, c" as it grows.
class Listing {
 public:
  explicit Listing(std::string_view separator = ", ") : separator_(separator) {}

  void add(std::string_view item) {
    if (!text_.empty()) text_ += separator_;
    text_ += item;
  }
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  std::string_view separator_;
  std::string text_;
};

/// "a, b, c", each item as `to_text` has it.
template <class Items, class ToText = std::identity>
std::string joined(const Items& items, std::string_view separator = ", ", ToText to_text = {}) {
  Listing list(separator);
  for (const auto& item : items) list.add(to_text(item));
  return list.text();
}

/// The same with another separator before the last: "a, b or c".
inline std::string joined_before_last(const std::vector<std::string>& words,
                                      std::string_view separator, std::string_view last) {
  if (words.size() < 2) return joined(words, separator);
  const std::vector<std::string> others(words.begin(), words.end() - 1);
  return joined(others, separator) + std::string(last) + words.back();
}

}  // namespace epsfree
