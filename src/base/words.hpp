// Lists of words in messages and files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

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

}  // namespace epsfree
