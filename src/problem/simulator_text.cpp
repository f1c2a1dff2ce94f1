// Writing the [simulator] table.
#include "base/words.hpp"
#include "io/number_text.hpp"
#include "problem/simulator_fields.hpp"
#include "problem/simulator_file.hpp"

namespace epsfree {
namespace {

class FieldWriter {
 public:
  void operator()(const char* name, double field, const char*) { line(name, toml_number(field)); }
  void operator()(const char* name, int field, const char*) { line(name, std::to_string(field)); }
  void operator()(const char* name, const std::optional<bool>& field, const char*) {
    if (field) line(name, *field ? "true" : "false");
  }
  // What is empty is the default.
  void operator()(const char* name, const std::string& field, const char*) {
    if (!field.empty()) line(name, toml_quote(field));
  }
  void path(const char* name, const std::string& field, const char* help) {
    (*this)(name, field, help);
  }
  void operator()(const char* name, const std::vector<std::pair<std::string, std::string>>& field,
                  const char*) {
    if (field.empty()) return;
    const auto assignment = [](const auto& entry) {
      return toml_quote(entry.first) + " = " + toml_quote(entry.second);
    };
    line(name, "{" + joined(field, ", ", assignment) + "}");
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* name, Enum field, const char*) {
    line(name, toml_quote(to_string(field)));
  }
  void line(const std::string& name, const std::string& value) {
    text += name + " = " + value + "\n";
  }

  std::string text;
};

std::string list_toml(const std::vector<std::string>& texts) {
  return "[" + joined(texts, ", ", toml_quote) + "]";
}

}  // namespace

std::string simulator_toml(const SimulatorSpec& spec) {
  FieldWriter writer;
  switch (spec.kind) {
    case SimulatorKind::model:
      writer.line("model", toml_quote(spec.label));
      return "[simulator]\n" + writer.text;
    case SimulatorKind::plugin:
      writer.line("plugin", toml_quote(spec.plugin.path));
      break;
    case SimulatorKind::command:
      writer.line("command", list_toml(spec.command.process.argv));
      break;
    case SimulatorKind::worker:
      writer.line("worker", list_toml(spec.worker.process.argv));
      break;
    case SimulatorKind::python:
      writer.line("python", toml_quote(spec.python));
      break;
    case SimulatorKind::closure:
      writer.line("closure", toml_quote(spec.closure));
      break;
  }
  if (spec.statistics_are_named) {
    writer.line("statistic_names", list_toml(spec.statistic_names));
  } else {
    writer.line("num_statistics", std::to_string(spec.num_statistics()));
  }
  visit_simulator_fields(spec, writer);
  return "[simulator]\n" + writer.text;
}

}  // namespace epsfree
