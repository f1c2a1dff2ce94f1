#include "problem/problem_values.hpp"

#include <cmath>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "io/document.hpp"
#include "io/number_text.hpp"
#include "problem/option_groups.hpp"
#include "problem/simulator_fields.hpp"

namespace epsfree {
namespace {

/// Visits the fields of [method] and of [simulator].
class ValueCollector {
 public:
  ValueCollector(std::string table, ProblemValues& values)
      : table_(std::move(table)), prefix_(table_ + "."), values_(values) {}

  void group(const std::string& path, const std::string&) {
    prefix_ = table_ + "." + (path.empty() ? "" : path + ".");
  }
  void operator()(const char* name, bool field, const char*) { add(name, field); }
  void operator()(const char* name, double field, const char*) { add(name, field); }
  template <std::signed_integral T>
  void operator()(const char* name, T field, const char*) {
    add(name, std::int64_t{field});
  }
  template <std::signed_integral T>
  void operator()(const char* name, const std::vector<T>& field, const char*) {
    add(name, std::vector<std::int64_t>(field.begin(), field.end()));
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* name, Enum field, const char*) {
    add(name, std::string(to_string(field)));
  }
  void operator()(const char* name, const std::optional<bool>& field, const char*) {
    if (field) add(name, *field);
  }
  void operator()(const char* name, const std::string& field, const char*) {
    if (!field.empty()) add(name, field);
  }
  void operator()(const char* name, const std::vector<std::pair<std::string, std::string>>& field,
                  const char*) {
    for (const auto& [key, value] : field) add(std::string(name) + "." + key, value);
  }
  void path(const char* name, const std::string& field, const char* help) {
    (*this)(name, field, help);
  }
  void add(const std::string& name, ProblemValue value) {
    values_[prefix_ + name] = std::move(value);
  }

 private:
  std::string table_, prefix_;
  ProblemValues& values_;
};

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(double value) {
  constexpr double kExact = 9007199254740992;
  if (std::abs(value) < kExact && value == std::floor(value)) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return toml_number(value);
}
std::string text_of(const std::string& value) { return toml_quote(value); }
template <class T>
std::string text_of(const std::vector<T>& values) {
  std::string list;
  for (const T& value : values) list += (list.empty() ? "" : ", ") + text_of(value);
  return "[" + list + "]";
}

}  // namespace

void add_method_values(const InferOptions& options, ProblemValues& values) {
  ValueCollector collector("method", values);
  collector.add("name", to_string(options.method));
  visit_method_options(options, collector);
}

void add_simulator_values(const SimulatorSpec& spec, ProblemValues& values) {
  ValueCollector collector("simulator", values);
  const std::string kind = to_string(spec.kind);
  switch (spec.kind) {
    case SimulatorKind::model:
      collector.add(kind, spec.label);
      return;
    case SimulatorKind::plugin:
      collector.add(kind, spec.plugin.path);
      break;
    case SimulatorKind::command:
      collector.add(kind, spec.command.process.argv);
      break;
    case SimulatorKind::worker:
      collector.add(kind, spec.worker.process.argv);
      break;
    case SimulatorKind::python:
      collector.add(kind, spec.python);
      break;
    case SimulatorKind::closure:
      collector.add(kind, spec.closure);
      break;
  }
  if (spec.statistics_are_named) {
    collector.add("statistic_names", spec.statistic_names);
  } else {
    collector.add("num_statistics", std::int64_t{spec.num_statistics()});
  }
  visit_simulator_fields(spec, collector);
}

std::string value_text(const ProblemValue& value) {
  return std::visit([](const auto& held) { return text_of(held); }, value);
}

}  // namespace epsfree
