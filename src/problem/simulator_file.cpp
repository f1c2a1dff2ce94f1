#include "problem/simulator_file.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/numbered_names.hpp"
#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "problem/simulator_fields.hpp"

namespace epsfree {
namespace {

constexpr std::int64_t kMostStatistics = 100'000;

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (int k = 0; k < kNumSimulatorKinds; ++k) {
    names.emplace_back(to_string(static_cast<SimulatorKind>(k)));
  }
  return names;
}

// The keys of a kind.
struct KeyCollector {
  std::vector<std::string> keys;
  template <class Field>
  void operator()(const char* name, const Field&, const char*) {
    keys.emplace_back(name);
  }
  void path(const char* name, const std::string&, const char*) { keys.emplace_back(name); }
};

// A key of another kind is known, but of no use here.
void check_keys(Section& section, SimulatorKind kind) {
  const std::vector<std::string> own = simulator_keys(kind);
  std::set<std::string> seen(own.begin(), own.end());
  for (int k = 0; k < kNumSimulatorKinds; ++k) {
    for (const std::string& key : simulator_keys(static_cast<SimulatorKind>(k))) {
      if (!seen.insert(key).second || !section.has(key)) continue;
      Listing kinds;
      for (int other = 0; other < kNumSimulatorKinds; ++other) {
        const auto keys = simulator_keys(static_cast<SimulatorKind>(other));
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
        kinds.add("'" + kind_names()[static_cast<std::size_t>(other)] + "'");
      }
      section.fail(key, "is of no use with '" + std::string(to_string(kind)) + "', only with " +
                            kinds.text() + "; take it out");
    }
  }
  section.expect_only(own);
}

SimulatorKind read_kind(Section& section) {
  const std::vector<std::string> names = kind_names();
  std::vector<int> found;
  for (int k = 0; k < kNumSimulatorKinds; ++k) {
    if (section.has(names[static_cast<std::size_t>(k)])) found.push_back(k);
  }
  if (found.size() > 1) {
    section.fail(names[static_cast<std::size_t>(found[1])],
                 "there is '" + names[static_cast<std::size_t>(found[0])] +
                     "' already; expected exactly one of 'model', 'plugin', 'command', 'worker' "
                     "and 'python'");
  }
  if (found.empty()) {
    // A key that is misspelt is the news, not that one is missing.
    std::vector<std::string> all;
    for (int k = 0; k < kNumSimulatorKinds; ++k) {
      for (const std::string& key : simulator_keys(static_cast<SimulatorKind>(k)))
        all.push_back(key);
    }
    section.expect_only(all);
    section.fail_missing(
        "model",
        "the name of a built-in model (`epsfree models` lists them) or, for a "
        "simulator of your own, 'command', 'worker', 'python' or 'plugin' instead");
  }
  return static_cast<SimulatorKind>(found[0]);
}

std::vector<std::string> read_argv(Section& section, const char* key) {
  std::optional<std::vector<std::string>> argv;
  try {
    argv = section.texts(key);
  } catch (const Error& error) {
    throw Error(error.kind(), std::string(error.what()) +
                                  "; the program and its arguments are strings of their own, as in "
                                  "[\"./simulator\", \"{theta}\", \"{seed}\"]: no shell takes them "
                                  "apart");
  }
  if (argv->empty() || argv->front().empty()) {
    section.fail(key, "expected at least the name of a program");
  }
  for (const std::string& argument : *argv) {
    if (argument.find('\0') != std::string::npos)
      section.fail(key, "an argument contains a 0 byte");
  }
  return *argv;
}

// A command runs in a folder of its own, where `sir.py` of ["python3", "sir.py"] is not. A file
// beside the problem file is meant, and that is what it gets.
void point_to_files(std::vector<std::string>& argv, const std::string& directory) {
  for (std::size_t i = 1; i < argv.size(); ++i) {
    std::string& argument = argv[i];
    if (argument.find_first_of("{}") != std::string::npos) continue;
    if (argument.find_first_of("./") == std::string::npos || argument.front() == '/') continue;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(std::filesystem::path(directory) / argument, ignored)) {
      argument = "{directory}/" + argument;
    }
  }
}

class FieldReader {
 public:
  FieldReader(Section& section, const std::string& source) : section_(section), source_(source) {}

  void operator()(const char* name, double& field, const char*) {
    if (const auto value = section_.number(name)) field = *value;
  }
  void operator()(const char* name, int& field, const char*) {
    if (const auto value = section_.integer(name, 0, 1'000'000)) field = static_cast<int>(*value);
  }
  void operator()(const char* name, std::optional<bool>& field, const char*) {
    if (const auto value = section_.flag(name)) field = value;
  }
  void operator()(const char* name, std::string& field, const char*) {
    if (const auto value = section_.text(name)) field = *value;
  }
  void operator()(const char* name, std::vector<std::pair<std::string, std::string>>& field,
                  const char*) {
    Section table = section_.section(name);
    field.clear();
    for (const std::string& key : table.keys()) {
      const std::string value = *table.text(key);
      if (key.empty() || key.find('=') != std::string::npos || has_control_character(key) ||
          value.find('\0') != std::string::npos) {
        table.fail(key, "cannot be a variable of the environment");
      }
      field.emplace_back(key, value);
    }
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* name, Enum& field, const char*) {
    if (const auto value = section_.choice(name, enum_names<Enum>())) {
      field = enum_values<Enum>()[*value];
    }
  }
  void path(const char* name, std::string& field, const char*) {
    const auto value = section_.text(name);
    if (!value || value->empty()) return;
    if (value->find('\0') != std::string::npos) section_.fail(name, "contains a 0 byte");
    field = resolved_path(*value, section_.where(name), source_);
  }

 private:
  Section& section_;
  const std::string& source_;
};

std::vector<std::string> read_statistics(Section& section, SimulatorSpec& spec) {
  const auto names = section.texts("statistic_names");
  const auto count = section.integer("num_statistics", 1, kMostStatistics);
  if (!names && !count) {
    section.fail_missing("num_statistics",
                         "how many numbers a simulation gives (or 'statistic_names' with the name "
                         "of each)");
  }
  spec.statistics_are_named = names.has_value();
  if (!names) return numbered_names("x", *count);
  if (names->empty()) section.fail("statistic_names", "expected at least one name");
  if (count && *count != static_cast<std::int64_t>(names->size())) {
    section.fail("num_statistics", "got " + std::to_string(*count) +
                                       ", but 'statistic_names' has " +
                                       std::to_string(names->size()) + " names");
  }
  for (const std::string& name : *names) {
    if (name.empty() || has_control_character(name)) {
      section.fail("statistic_names", "got " + toml_quote(name) + ", expected one line of text");
    }
  }
  if (std::set<std::string>(names->begin(), names->end()).size() != names->size()) {
    section.fail("statistic_names", "two statistics have the same name");
  }
  return *names;
}

void read_model(Section& section, SimulatorSpec& spec) {
  const std::string name = *section.text("model");
  std::vector<std::string> names;
  for (const auto& known : models()) names.push_back(known->name());
  section.choice("model", names);
  spec.model = model(name);
  spec.label = name;
  spec.statistic_names = spec.model->statistic_names();
  spec.statistics_are_named = true;
}

// "sir.py:simulate" and "sir" are what people write first.
void check_target(const Section& section, const std::string& target) {
  const std::size_t colon = target.find(':');
  const std::string module = target.substr(0, colon);
  if (colon == std::string::npos || colon == 0 || colon + 1 == target.size() ||
      has_control_character(target)) {
    section.fail("python", "got " + toml_quote(target) +
                               ", expected \"module:function\", such as \"sir:simulate\" for the "
                               "function simulate of sir.py");
  }
  if (module.ends_with(".py") || module.find('/') != std::string::npos) {
    const std::string stem = std::filesystem::path(module).stem().string();
    section.fail(
        "python",
        "got " + toml_quote(target) + ", expected the name of a module, not of a file: \"" + stem +
            target.substr(colon) + "\"" +
            (module.find('/') == std::string::npos ? "" : ", and its folder as 'directory'"));
  }
}

}  // namespace

const char* to_string(SimulatorKind kind) {
  switch (kind) {
    case SimulatorKind::model:
      return "model";
    case SimulatorKind::plugin:
      return "plugin";
    case SimulatorKind::command:
      return "command";
    case SimulatorKind::worker:
      return "worker";
    case SimulatorKind::closure:
      return "closure";
    case SimulatorKind::python:
      break;
  }
  return "python";
}

std::vector<std::string> simulator_keys(SimulatorKind kind) {
  KeyCollector collector{{to_string(kind)}};
  if (kind != SimulatorKind::model) {
    collector.keys.insert(collector.keys.end(), {"num_statistics", "statistic_names"});
  }
  SimulatorSpec spec;
  spec.kind = kind;
  visit_simulator_fields(spec, collector);
  return collector.keys;
}

const ProcessOptions* SimulatorSpec::process() const {
  if (kind == SimulatorKind::command) return &command.process;
  if (kind == SimulatorKind::worker || kind == SimulatorKind::python) return &worker.process;
  return nullptr;
}

PluginOptions SimulatorSpec::resolved_plugin() const {
  PluginOptions options = plugin;
  options.path =
      (std::filesystem::path(plugin_directory) / plugin.path).lexically_normal().string();
  return options;
}

std::string resolved_path(const std::string& path, const std::string& where,
                          const std::string& source) {
  namespace fs = std::filesystem;
  const bool from_command_line = where.rfind("--", 0) == 0;
  const fs::path base = from_command_line ? fs::path() : fs::path(source).parent_path();
  std::string result = fs::absolute(base / path).lexically_normal().string();
  while (result.size() > 1 && result.back() == '/') result.pop_back();
  return result;
}

SimulatorSpec read_simulator(Section& section, const std::string& source) {
  SimulatorSpec spec;
  spec.kind = read_kind(section);
  check_keys(section, spec.kind);
  const char* const key = to_string(spec.kind);
  spec.place = section.where(key) + ": key '" + section.full_key(key) + "'";
  if (spec.kind == SimulatorKind::model) {
    read_model(section, spec);
    return spec;
  }
  const std::string folder = resolved_path(".", "", source);
  spec.command.process.directory = spec.worker.process.directory = folder;
  spec.plugin_directory = folder;
  FieldReader reader(section, source);
  visit_simulator_fields(spec, reader);
  std::string text;
  switch (spec.kind) {
    case SimulatorKind::model:
      break;
    case SimulatorKind::plugin:
      text = *section.text(key);
      if (text.empty() || text.find('\0') != std::string::npos) {
        section.fail(key, "expected the path of a shared library");
      }
      // One of the command line is relative to where one stands.
      spec.plugin.path = section.where(key).rfind("--", 0) == 0
                             ? resolved_path(text, section.where(key), source)
                             : text;
      break;
    case SimulatorKind::command:
      spec.command.process.argv = read_argv(section, key);
      text = spec.command.process.argv.front();
      point_to_files(spec.command.process.argv, spec.command.process.directory);
      break;
    case SimulatorKind::worker:
      spec.worker.process.argv = read_argv(section, key);
      text = spec.worker.process.argv.front();
      break;
    case SimulatorKind::python:
      text = spec.python = *section.text(key);
      check_target(section, text);
      if (spec.interpreter.empty()) section.fail("interpreter", "expected the name of a program");
      break;
    case SimulatorKind::closure:
      text = spec.closure = *section.text(key);
      break;
  }
  spec.label = std::string(key) + " " + text;
  for (char& c : spec.label) {
    if (has_control_character({&c, 1})) c = '?';  // it is shown on one line
  }
  spec.statistic_names = read_statistics(section, spec);
  return spec;
}

void check_simulator_options(const Section& section, SimulatorSpec& spec,
                             const std::vector<std::string>& parameter_names) {
  const auto num_parameters = static_cast<Index>(parameter_names.size());
  spec.plugin.num_parameters = num_parameters;
  spec.plugin.num_statistics = spec.num_statistics();
  for (ProcessOptions* process : {&spec.command.process, &spec.worker.process}) {
    process->num_parameters = num_parameters;
    process->num_statistics = spec.num_statistics();
    process->names = parameter_names;
  }
  try {
    if (spec.kind == SimulatorKind::command) spec.command.validate("");
    if (spec.kind == SimulatorKind::worker) spec.worker.validate("");
    if (spec.kind == SimulatorKind::python) {
      WorkerOptions options = spec.worker;
      options.process.argv = {spec.interpreter};
      options.validate("");
    }
  } catch (const Error& error) {
    // "time_limit_seconds is -1; ..." gets the place in the file as well, and what the file calls
    // otherwise its own words.
    std::string message = error.what();
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"argv", to_string(spec.kind)},
          {"standard_input or file as input", "input = \"stdin\" or \"file\""},
          {"standard_input", "\"stdin\""},
          {"standard_output", "\"stdout\""}}) {
      const std::size_t at = message.find(from);
      if (at != std::string::npos) message.replace(at, from.size(), to);
    }
    const std::string key = message.substr(0, message.find_first_of(" [.:"));
    section.fail(section.has(key) ? key : to_string(spec.kind), message);
  }
}

SimulatorPtr open_simulator(const SimulatorSpec& spec) {
  try {
    switch (spec.kind) {
      case SimulatorKind::model:
        return spec.model->simulator();
      case SimulatorKind::plugin:
        return plugin_simulator(spec.resolved_plugin());
      case SimulatorKind::command:
        return command_simulator(spec.command);
      case SimulatorKind::worker:
        return worker_simulator(spec.worker);
      case SimulatorKind::closure:
        throw Error(ErrorKind::usage, "the simulator is the Python function '" + spec.closure +
                                          "', which only the Python session that made it can call; "
                                          "go on with this run from there: "
                                          "epsfree.infer(..., directory=...)");
      case SimulatorKind::python:
        break;
    }
    WorkerOptions options = spec.worker;
    options.process.argv = python_worker_argv(spec.python, spec.interpreter);
    return worker_simulator(options);
  } catch (const Error& error) {
    throw Error(error.kind(), spec.place + ": " + error.what());
  }
}

}  // namespace epsfree
