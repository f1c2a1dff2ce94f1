#include "io/number_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace epsfree {
namespace {

/// A minus as printers set it.
std::string with_minus(std::string text) {
  if (text.front() == '-') text.replace(0, 1, "−");
  return text;
}

}  // namespace

std::string toml_number(double value) {
  std::string text = number_text(value);
  if (text.find_first_of(".enif") == std::string::npos) text += ".0";
  return text;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "unknown";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return with_minus(text);
}

std::string fixed_number(double value, int decimals) {
  char text[352];  // the largest double has 309 digits
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  const bool zero = std::string_view(text).find_first_of("123456789infa") == std::string_view::npos;
  return zero && text[0] == '-' ? std::string(text + 1) : with_minus(text);
}

std::string duration_text(double seconds) {
  const auto short_text = [](double value, const char* unit) {
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit);
    return std::string(buffer);
  };
  // In whole small units, so that nothing is lost to rounding.
  const auto pair_text = [seconds](double small_unit, long ratio, const char* large,
                                   const char* small) {
    const long count = std::lround(seconds / small_unit);
    return std::to_string(count / ratio) + " " + large +
           (count % ratio > 0 ? " " + std::to_string(count % ratio) + " " + small : "");
  };
  if (seconds < 0.9995e-3) return short_text(seconds * 1e6, "us");
  if (seconds < 0.9995) return short_text(seconds * 1e3, "ms");
  if (seconds < 59.5) return short_text(seconds, "s");
  if (seconds < 3599.5) return pair_text(1, 60, "min", "s");
  if (seconds < 86370) return pair_text(60, 60, "h", "min");
  return pair_text(3600, 24, seconds < 171000 ? "day" : "days", "h");
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

std::string shell_word(const std::string& word) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace epsfree
