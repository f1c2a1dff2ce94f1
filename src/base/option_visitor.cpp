#include "base/option_visitor.hpp"

#include "base/number_text.hpp"
#include "base/require.hpp"
#include "base/words.hpp"

namespace epsfree {
namespace {

template <class Number>
std::string list_text(const std::vector<Number>& values) {
  return "[" + joined(values, ", ", [](Number value) { return std::to_string(value); }) + "]";
}

struct TextOfPlace {
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int* value) const { return std::to_string(*value); }
  std::string operator()(const long* value) const { return std::to_string(*value); }
  std::string operator()(const double* value) const {
    // Never mistaken for a whole number.
    const std::string text = number_text(*value);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(const std::vector<int>* values) const { return list_text(*values); }
  std::string operator()(const std::vector<long>* values) const { return list_text(*values); }
  std::string operator()(const OptionChoice& choice) const {
    return "\"" + choice.names.at(choice.get()) + "\"";
  }
};

}  // namespace

std::string option_text(const OptionPlace& place) { return std::visit(TextOfPlace{}, place); }

void OptionValidator::option(const Option& option) {
  const std::string name = path_.empty() ? option.name : path_ + "." + option.name;
  const OptionRange& range = option.range;
  const auto check = [&](auto value, const std::string& field) {
    require(range.contains(static_cast<double>(value)), field, value, range.text);
  };
  if (range.text.empty()) return;
  const auto check_list = [&](const auto& list) {
    const std::size_t most = range.most_entries;
    require(most == 0 || list.size() <= most, name + ".size()", list.size(),
            "at most " + std::to_string(most));
    for (std::size_t i = 0; i < list.size(); ++i)
      check(list[i], name + "[" + std::to_string(i) + "]");
  };
  if (const auto* whole = std::get_if<int*>(&option.place)) {
    check(**whole, name);
  } else if (const auto* large = std::get_if<long*>(&option.place)) {
    check(**large, name);
  } else if (const auto* real = std::get_if<double*>(&option.place)) {
    check(**real, name);
  } else if (const auto* list = std::get_if<std::vector<int>*>(&option.place)) {
    check_list(**list);
  } else if (const auto* longs = std::get_if<std::vector<long>*>(&option.place)) {
    check_list(**longs);
  }
}

}  // namespace epsfree
