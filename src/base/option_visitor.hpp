// The options of a struct, one after the other: name, place, range and meaning. Each struct lists
// its options once, in a function visit_fields(struct&, OptionVisitor&); readers, writers, help,
// validation, comparison and documentation are visitors.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/enum_values.hpp"
#include "base/option_range.hpp"

namespace epsfree {

/// An option that is one of several words.
struct OptionChoice {
  std::vector<std::string> names;
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;
};

/// Where an option is kept.
using OptionPlace =
    std::variant<bool*, int*, long*, double*, std::vector<int>*, std::vector<long>*, OptionChoice>;

struct Option {
  std::string name;
  OptionPlace place;
  std::string help;
  OptionRange range = {};
};

class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  /// Before the options of a group. `path` is "" for the outermost, "rounds.training" for a group
  /// within a group, which follows the outer one.
  virtual void group(const std::string& path, const std::string& help) = 0;
  virtual void option(const Option& option) = 0;

  template <class Field>
  void operator()(const char* name, Field& field, const char* help, OptionRange range = {}) {
    if constexpr (std::is_enum_v<Field>) {
      OptionChoice choice;
      choice.names = enum_names<Field>();
      choice.get = [&field] {
        const std::vector<Field>& values = enum_values<Field>();
        std::size_t at = 0;
        while (at + 1 < values.size() && values[at] != field) ++at;
        return at;
      };
      choice.set = [&field](std::size_t at) { field = enum_values<Field>().at(at); };
      option({name, std::move(choice), help, std::move(range)});
    } else {
      option({name, &field, help, std::move(range)});
    }
  }
};

/// As files write it: 3, 0.5, "full", [1, 2], true.
std::string option_text(const OptionPlace& place);

/// Throws ErrorKind::input with the option's path, value and range for the first that is outside
/// its range.
class OptionValidator final : public OptionVisitor {
 public:
  void group(const std::string& path, const std::string&) override { path_ = path; }
  void option(const Option& option) override;

 private:
  std::string path_;
};

/// Validates one struct that lists its options; messages name them without a group.
template <class Options>
void validate_fields(const Options& options) {
  Options copy = options;  // a visitor may write
  OptionValidator validator;
  visit_fields(copy, validator);
}

}  // namespace epsfree
