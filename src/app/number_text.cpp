#include "app/number_text.hpp"

#include <charconv>
#include <cstdlib>

namespace epsfree {

std::string toml_number(double value) {
  std::string text = number_text(value);
  if (text.find_first_of(".enif") == std::string::npos) text += ".0";
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  if (!text.empty() && text.front() == '+') {  // from_chars does not know it
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  // Out of range either way: the nearest double is what other readers give.
  if (error == std::errc::result_out_of_range)
    return std::strtod(std::string(text).c_str(), nullptr);
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace epsfree
