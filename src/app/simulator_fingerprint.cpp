#include "app/simulator_fingerprint.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/python_imports.hpp"
#include "app/sha256.hpp"
#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "simulate/program.hpp"

namespace epsfree {
namespace {

namespace fs = std::filesystem;

// Larger files are told apart by their size and time: reading them would take longer than a second.
constexpr std::uintmax_t kMostBytes = 256U << 20U;

std::string digest_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return "";
  if (size > kMostBytes) {
    const auto time = fs::last_write_time(path, error).time_since_epoch().count();
    return "size " + std::to_string(size) + ", time " + std::to_string(time);
  }
  try {
    return sha256(read_file(path));
  } catch (const Error&) {
    return "";
  }
}

class Parts {
 public:
  void add_file(const std::string& what, const std::string& path) {
    const std::string digest = digest_of(path);
    if (!digest.empty()) parts.push_back({what, path, digest});
  }
  /// A Python file with what it imports from its folder.
  void add_python(const std::string& what, const std::string& path, const std::string& folder) {
    const std::vector<std::string> files = python_files(path, folder);
    add_file(what, files.front());
    for (std::size_t i = 1; i < files.size(); ++i) {
      add_file("import " + fs::path(files[i]).lexically_relative(folder).string(), files[i]);
    }
  }
  /// A program and those of its arguments that are files.
  void add_process(const ProcessOptions& process) {
    try {
      add_file("program", find_program(process));
    } catch (const Error&) {  // it is not there: opening the simulator says so
    }
    for (std::size_t i = 1; i < process.argv.size(); ++i) {
      std::string argument = process.argv[i];
      constexpr std::string_view kDirectory = "{directory}";
      if (const std::size_t at = argument.find(kDirectory); at != std::string::npos) {
        argument.replace(at, kDirectory.size(), process.directory);
      }
      std::error_code ignored;
      const std::string path = absolute_path(argument, process.directory);
      if (argument.empty() || !fs::is_regular_file(path, ignored)) continue;
      const std::string what = "argument " + std::to_string(i);
      if (path.ends_with(".py")) {
        add_python(what, path, fs::path(path).parent_path().string());
      } else {
        add_file(what, path);
      }
    }
  }

  std::vector<SimulatorPart> parts;
};

}  // namespace

SimulatorFingerprint SimulatorFingerprint::of(const SimulatorSpec& spec) {
  Parts parts;
  switch (spec.kind) {
    case SimulatorKind::model:
      parts.parts.push_back(
          {"model", spec.model->name(), "revision " + std::to_string(spec.model->revision())});
      break;
    case SimulatorKind::plugin:
      parts.add_file("library", spec.resolved_plugin().path);
      break;
    case SimulatorKind::command:
    case SimulatorKind::worker:
      parts.add_process(*spec.process());
      break;
    case SimulatorKind::python: {
      const std::string module = spec.python.substr(0, spec.python.find(':'));
      const std::string folder = absolute_path("", spec.worker.process.directory);
      const std::string file = python_module_file(module, folder);
      if (!file.empty()) parts.add_python("module " + module, file, folder);
      break;
    }
    case SimulatorKind::closure:
      return SimulatorFingerprint(spec.closure_parts);
  }
  return SimulatorFingerprint(std::move(parts.parts));
}

std::string SimulatorFingerprint::text() const {
  auto json = nlohmann::ordered_json::array();
  for (const SimulatorPart& part : parts_) {
    json.push_back({{"what", part.what}, {"path", part.path}, {"digest", part.digest}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

SimulatorFingerprint SimulatorFingerprint::from_text(const std::string& text,
                                                     const std::string& source) {
  try {
    std::vector<SimulatorPart> parts;
    for (const auto& each : nlohmann::json::parse(text)) {
      parts.push_back({each.at("what"), each.at("path"), each.at("digest")});
    }
    return SimulatorFingerprint(std::move(parts));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::input,
                source + ": its record of the simulator cannot be read: " + error.what());
  }
}

std::vector<SimulatorChange> SimulatorFingerprint::changes_since(
    const SimulatorFingerprint& before) const {
  const auto find = [](const std::vector<SimulatorPart>& parts, const std::string& what) {
    return std::find_if(parts.begin(), parts.end(),
                        [&](const SimulatorPart& part) { return part.what == what; });
  };
  std::vector<SimulatorChange> changes;
  for (const SimulatorPart& part : parts_) {
    const auto at = find(before.parts_, part.what);
    if (at == before.parts_.end() || at->digest != part.digest) {
      changes.push_back({part.what, part.path});
    }
  }
  for (const SimulatorPart& part : before.parts_) {
    if (find(parts_, part.what) == parts_.end()) changes.push_back({part.what, part.path});
  }
  return changes;
}

std::string describe(const std::vector<SimulatorChange>& changes) {
  std::string text;
  for (const SimulatorChange& change : changes) {
    text += (text.empty() ? "" : ", ") + std::string("'") + change.path + "' (" + change.what + ")";
  }
  return text;
}

}  // namespace epsfree
