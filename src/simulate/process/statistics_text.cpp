#include "simulate/process/statistics_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/number_text.hpp"

namespace epsfree {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_separator(char c) { return kBlanks.find(c) != kBlanks.npos || c == ',' || c == ';'; }

/// What from_chars cannot represent: zero or infinity, by the sign of the exponent or, without one,
/// by the digits before the point.
double out_of_range(std::string_view number) {
  const std::size_t exponent = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, exponent);
  bool small = false;
  if (exponent != number.npos) {
    small = exponent + 1 < number.size() && number[exponent + 1] == '-';
  } else {
    small = digits.substr(0, digits.find('.')).find_first_of("123456789") == digits.npos;
  }
  const bool negative = number.front() == '-';
  const double size = small ? 0 : kInfinity;
  return negative ? -size : size;
}

/// The length of what may be a number with a Fortran exponent: 1.5D+03. 0: it has none.
std::size_t fortran_length(std::string_view text) {
  std::size_t at = text.front() == '-' ? 1 : 0;
  while (at < text.size() && ((text[at] >= '0' && text[at] <= '9') || text[at] == '.')) ++at;
  if (at == 0 || at == text.size() || (text[at] != 'D' && text[at] != 'd')) return 0;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  const std::size_t digits = at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at == digits ? 0 : at;
}

bool parse(std::string_view text, std::size_t& length, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  length = static_cast<std::size_t>(end - text.data());
  if (error == std::errc::result_out_of_range) value = out_of_range(text.substr(0, length));
  return error != std::errc::invalid_argument;
}

}  // namespace

bool take_number(std::string_view& text, double& value) {
  if (text.substr(0, 4) == "null") {
    value = kNan;
    text.remove_prefix(4);
    return true;
  }
  std::string_view number = text;
  if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
  if (number.empty()) return false;
  std::size_t length = 0;
  if (!parse(number, length, value)) return false;
  if (length < number.size() && (number[length] == 'D' || number[length] == 'd')) {
    const std::size_t fortran = fortran_length(number);
    std::string copy(number.substr(0, std::min<std::size_t>(fortran, 400)));
    std::replace_if(
        copy.begin(), copy.end(), [](char c) { return c == 'D' || c == 'd'; }, 'e');
    if (!copy.empty() && parse(copy, length, value)) length = fortran;
  }
  text = number.substr(length);
  return true;
}

std::string excerpt(std::string_view text, std::size_t size) {
  std::string shown = "'";
  for (const char c : text.substr(0, size)) {
    if (c == '\n') {
      shown += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      shown += '?';
    } else {
      shown += c;
    }
  }
  return shown + (text.size() > size ? "...'" : "'");
}

StatisticsText read_statistics(std::string_view text, Eigen::Ref<Eigen::VectorXd> x) {
  const std::string_view whole = text;
  const auto unreadable = [&](std::string_view at) {
    return StatisticsText{SimStatus::failed, "wrote " + excerpt(at) + " where a number should be",
                          FaultKind::any};
  };
  const auto skip = [&text](auto&& predicate) {
    while (!text.empty() && predicate(text.front())) text.remove_prefix(1);
  };
  const auto is_blank = [](char c) { return kBlanks.find(c) != kBlanks.npos; };
  skip(is_blank);
  const bool array = !text.empty() && text.front() == '[';
  if (array) {
    text.remove_prefix(1);
    const std::size_t last = text.find_last_not_of(kBlanks);
    if (last == text.npos || text[last] != ']') {
      return {SimStatus::failed, "wrote a JSON array that does not end: " + excerpt(whole),
              FaultKind::any};
    }
    text = text.substr(0, last);
  }
  Index count = 0;
  Index not_finite = -1;
  double odd = 0;
  for (;;) {
    skip(is_separator);
    if (text.empty()) break;
    const std::string_view at = text;
    double value = 0;
    if (!take_number(text, value)) return unreadable(at);
    if (!text.empty() && !is_separator(text.front())) return unreadable(at);
    if (count < x.size()) x[count] = value;
    if (!std::isfinite(value) && not_finite < 0) {
      not_finite = count;
      odd = value;
    }
    ++count;
  }
  if (count != x.size()) {
    return {SimStatus::failed,
            "wrote " + std::to_string(count) + " numbers, expected " + std::to_string(x.size()),
            FaultKind::wrong_size};
  }
  if (not_finite >= 0) {
    return {SimStatus::invalid,
            "statistic " + std::to_string(not_finite + 1) + " is " + number_text(odd),
            FaultKind::any};
  }
  return {};
}

}  // namespace epsfree
