#include "problem/problem_values.hpp"

#include <cmath>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/words.hpp"
#include "infer/methods.hpp"
#include "io/document.hpp"
#include "io/number_text.hpp"
#include "problem/simulator_fields.hpp"

namespace epsfree {
namespace {

/// Visits the fields of [simulator].
class ValueCollector {
 public:
  explicit ValueCollector(ProblemValues& values) : values_(values) {}

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
    values_["simulator." + name] = std::move(value);
  }

 private:
  ProblemValues& values_;
};

/// Visits the options of [method].
class MethodValueCollector final : public OptionVisitor {
 public:
  explicit MethodValueCollector(ProblemValues& values) : values_(values) {}

  void group(const std::string& path, const std::string&) override {
    prefix_ = "method." + (path.empty() ? "" : path + ".");
  }
  void option(const Option& option) override {
    values_[prefix_ + option.name] =
        std::visit([](const auto& place) { return value_at(place); }, option.place);
  }

 private:
  static ProblemValue value_at(const bool* field) { return *field; }
  static ProblemValue value_at(const double* field) { return *field; }
  static ProblemValue value_at(const int* field) { return std::int64_t{*field}; }
  static ProblemValue value_at(const long* field) { return std::int64_t{*field}; }
  static ProblemValue value_at(const std::vector<int>* field) {
    return std::vector<std::int64_t>(field->begin(), field->end());
  }
  static ProblemValue value_at(const std::vector<long>* field) {
    return std::vector<std::int64_t>(field->begin(), field->end());
  }
  static ProblemValue value_at(const OptionChoice& choice) { return choice.names.at(choice.get()); }

  std::string prefix_;
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
  return "[" + joined(values, ", ", [](const T& value) { return text_of(value); }) + "]";
}

}  // namespace

void add_method_values(const InferOptions& options, ProblemValues& values) {
  values["method.name"] = method_name(options.method);
  InferOptions copy = options;  // a visitor may write
  MethodValueCollector collector(values);
  visit_options(copy, collector);
}

void add_simulator_values(const SimulatorSpec& spec, ProblemValues& values) {
  ValueCollector collector(values);
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
