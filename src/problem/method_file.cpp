#include "problem/method_file.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <type_traits>
#include <vector>

#include "epsfree/error.hpp"
#include "io/number_text.hpp"
#include "problem/option_groups.hpp"

namespace epsfree {
namespace {

class OptionReader {
 public:
  explicit OptionReader(Section& method) { groups_.emplace("", method); }

  void group(const std::string& path, const std::string&) {
    if (!path.empty()) {
      const std::size_t dot = path.rfind('.');
      Section& parent = groups_.at(dot == std::string::npos ? "" : path.substr(0, dot));
      groups_.emplace(path, parent.section(dot == std::string::npos ? path : path.substr(dot + 1)));
    }
    current_ = &groups_.at(path);
  }

  void operator()(const char* name, bool& field, const char*) {
    if (const auto value = current_->flag(name)) field = *value;
  }
  void operator()(const char* name, double& field, const char*) {
    if (const auto value = current_->number(name)) field = *value;
  }
  template <std::signed_integral T>
  void operator()(const char* name, T& field, const char*) {
    constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
    const auto value = current_->integer(name, kLowest, kHighest);
    if (!value) return;
    field = static_cast<T>(std::clamp(*value, std::int64_t{std::numeric_limits<T>::min()},
                                      std::int64_t{std::numeric_limits<T>::max()}));
    if (field != *value) too_large_.push_back({current_, name, field, *value});
  }
  void operator()(const char* name, std::vector<int>& field, const char*) {
    if (const auto values = current_->integers(name, 1, 10000)) {
      field.clear();
      for (const std::int64_t value : *values) field.push_back(static_cast<int>(value));
    }
  }
  void operator()(const char* name, std::vector<long>& field, const char*) {
    constexpr std::int64_t kHighest = std::numeric_limits<long>::max();
    if (const auto values = current_->integers(name, 1, kHighest)) {
      field.assign(values->begin(), values->end());
    }
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* name, Enum& field, const char*) {
    if (const auto value = current_->choice(name, enum_names<Enum>())) {
      field = enum_values<Enum>()[*value];
    }
  }

  void finish() const {
    for (const auto& [path, section] : groups_) section.finish();
  }

  // The library names an option by its path ("rounds.training.batch_size is 0; ..."); here it gets
  // the place in the file as well.
  [[noreturn]] void rethrow(const Error& error) const {
    const std::string message = error.what();
    const std::string path = message.substr(0, message.find(' '));
    const std::size_t dot = path.rfind('.');
    const auto group = groups_.find(dot == std::string::npos ? "" : path.substr(0, dot));
    if (group == groups_.end()) groups_.at("").fail(message);
    const std::string key = dot == std::string::npos ? path : path.substr(dot + 1);
    std::string reason = message.substr(dot == std::string::npos ? 0 : dot + 1);
    for (const TooLarge& each : too_large_) {
      const std::string clamped = std::to_string(each.clamped);
      if (each.section != &group->second || each.name != key) continue;
      reason.replace(reason.find(clamped), clamped.size(), std::to_string(each.given));
    }
    // The whole list stands in one place: that of "hidden_units" is that of "hidden_units[1]".
    fail_at(group->second.where(key.substr(0, key.find('['))), group->second.full_key(key), reason);
  }

  // What no option can hold is refused even where the method does not use it.
  void check_sizes() const {
    for (const TooLarge& each : too_large_) {
      each.section->fail(each.name,
                         "is " + std::to_string(each.given) + ", which no option can hold");
    }
  }

 private:
  // A value that its field cannot hold. The library knows the range of the option; it is asked with
  // the nearest value that fits, and the message gets the one that was given.
  struct TooLarge {
    const Section* section;
    std::string name;
    std::int64_t clamped;
    std::int64_t given;
  };

  std::map<std::string, Section> groups_;
  Section* current_ = nullptr;
  std::vector<TooLarge> too_large_;
};

class OptionWriter {
 public:
  explicit OptionWriter(bool comments) : comments_(comments) {}

  void group(const std::string& path, const std::string& help) {
    if (path.empty()) return;  // below method.name
    flush();
    text_ += "\n[method." + path + "]" + (comments_ ? "  # " + help : "") + "\n";
  }
  void operator()(const char* name, bool field, const char* help) {
    line(name, field ? "true" : "false", help);
  }
  void operator()(const char* name, double field, const char* help) {
    line(name, toml_number(field), help);
  }
  template <std::signed_integral T>
  void operator()(const char* name, T field, const char* help) {
    line(name, std::to_string(field), help);
  }
  template <std::signed_integral T>
  void operator()(const char* name, const std::vector<T>& field, const char* help) {
    std::string list;
    for (const T value : field) list += (list.empty() ? "" : ", ") + std::to_string(value);
    line(name, "[" + list + "]", help);
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* name, Enum field, const char* help) {
    line(name, toml_quote(to_string(field)), help);
  }

  void line(const std::string& name, const std::string& value, const std::string& help) {
    lines_.push_back({name + " = " + value, help});
  }
  std::string finish() {
    flush();
    return text_;
  }

 private:
  // Comments of a group stand below each other.
  void flush() {
    std::size_t width = 0;
    for (const auto& [assignment, help] : lines_) width = std::max(width, assignment.size());
    for (const auto& [assignment, help] : lines_) {
      text_ += assignment;
      if (comments_) text_ += std::string(width - assignment.size(), ' ') + "  # " + help;
      text_ += "\n";
    }
    lines_.clear();
  }

  bool comments_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace

void read_method(Section& method, InferOptions& options) {
  if (const auto choice = method.choice("name", enum_names<Method>())) {
    options.method = enum_values<Method>()[*choice];
  }
  OptionReader reader(method);
  visit_method_options(options, reader);
  reader.finish();
  try {
    options.validate();
  } catch (const Error& error) {
    reader.rethrow(error);
  }
  reader.check_sizes();
}

Method method_from_name(const std::string& name) {
  std::string list;
  for (const Method method : enum_values<Method>()) {
    if (to_string(method) == name) return method;
    list += (list.empty() ? "" : ", ") + to_string(method);
  }
  throw Error(ErrorKind::usage, "--method: expected one of " + list + ", got '" + name + "'");
}

std::string method_toml(const InferOptions& options, bool comments) {
  std::string names;
  for (const std::string& name : enum_names<Method>()) {
    names += (names.empty() ? "" : ", ") + toml_quote(name);
  }
  OptionWriter writer(comments);
  writer.line("name", toml_quote(to_string(options.method)), "one of " + names);
  visit_method_options(options, writer);
  return "[method]\n" + writer.finish();
}

}  // namespace epsfree
