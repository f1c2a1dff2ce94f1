#include "run/simulator_fingerprint.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "base/file.hpp"
#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "io/sha256.hpp"
#include "run/python_imports.hpp"
#include "simulate/process/program.hpp"

namespace epsfree {
namespace {

namespace fs = std::filesystem;

// Larger files are told apart by their size and time: reading them would take longer than a second.
constexpr std::uintmax_t kMostBytes = 256U << 20U;
// Files with these extensions are code even if they are not executable.
constexpr std::array<std::string_view, 9> kScripts{".sh", ".R",  ".r",   ".jl", ".m",
                                                   ".pl", ".js", ".lua", ".rb"};

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

// Parts that are files a command is given and that are not scripts.
const std::string kInput = "input ";
bool is_input(const SimulatorPart& part) { return part.what.starts_with(kInput); }

bool is_script(const std::string& path) {
  constexpr auto kExecutable =
      fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  std::error_code ignored;
  if ((fs::status(path, ignored).permissions() & kExecutable) != fs::perms::none) return true;
  const std::string extension = fs::path(path).extension().string();
  return std::any_of(std::begin(kScripts), std::end(kScripts),
                     [&](std::string_view each) { return each == extension; });
}

/// The folders of PYTHONPATH, the simulator's own or that of this process.
std::vector<std::string> python_path(const ProcessOptions& process) {
  std::string value;
  if (const char* inherited = std::getenv("PYTHONPATH")) value = inherited;
  for (const auto& [name, own] : process.environment) {
    if (name == "PYTHONPATH") value = own;
  }
  std::vector<std::string> folders;
  std::istringstream stream(value);
  for (std::string folder; std::getline(stream, folder, ':');) {
    if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
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
  /// A module of Python with what it imports, from the folder it is run in or from PYTHONPATH.
  void add_module(const std::string& module, const ProcessOptions& process) {
    std::vector<std::string> folders = {absolute_path("", process.directory)};
    for (const std::string& folder : python_path(process)) {
      folders.push_back(absolute_path(folder, process.directory));
    }
    for (const std::string& folder : folders) {
      const std::string file = python_module_file(module, folder);
      if (!file.empty()) return add_python("module " + module, file, folder);
    }
  }
  /// A program and those of its arguments that are files. Scripts are code; any other file is an
  /// input, unless the run itself writes to it.
  void add_process(const ProcessOptions& process) {
    try {
      add_file("program", find_program(process));
    } catch (const Error&) {  // it is not there: opening the simulator says so
    }
    for (std::size_t i = 1; i < process.argv.size(); ++i) {
      std::string argument = process.argv[i];
      if (i == 2 && process.argv[1] == "-m") {  // python3 -m module
        add_module(argument, process);
        continue;
      }
      constexpr std::string_view kDirectory = "{directory}";
      if (const std::size_t at = argument.find(kDirectory); at != std::string::npos) {
        argument.replace(at, kDirectory.size(), process.directory);
      }
      std::error_code ignored;
      const std::string path = absolute_path(argument, process.directory);
      if (argument.empty() || !fs::is_regular_file(path, ignored)) continue;
      const std::string number = std::to_string(i);
      if (path.ends_with(".py")) {
        add_python("argument " + number, path, fs::path(path).parent_path().string());
      } else {
        add_file((is_script(path) ? "argument " : kInput) + number, path);
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
    case SimulatorKind::python:
      parts.add_module(spec.python.substr(0, spec.python.find(':')), spec.worker.process);
      break;
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
  const auto named = [](const std::vector<SimulatorPart>& parts, const std::string& what) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const SimulatorPart& part) { return part.what == what; });
  };
  // Several parts may have one name: two lambdas, for example.
  std::vector<SimulatorPart> unmatched = before.parts_;
  std::vector<SimulatorPart> changed;
  for (const SimulatorPart& part : parts_) {
    const auto same = std::find_if(unmatched.begin(), unmatched.end(), [&](const auto& each) {
      return each.what == part.what && each.digest == part.digest;
    });
    if (same != unmatched.end()) {
      unmatched.erase(same);
    } else if (!is_input(part) || named(before.parts_, part.what)) {
      changed.push_back(part);
    }
  }
  for (const SimulatorPart& part : unmatched) {
    if (!named(changed, part.what)) changed.push_back(part);
  }
  std::vector<SimulatorChange> changes;
  for (const SimulatorPart& part : changed) changes.push_back({part.what, part.path});
  return changes;
}

SimulatorFingerprint SimulatorFingerprint::without_outputs(
    const SimulatorFingerprint& later) const {
  std::vector<SimulatorPart> kept;
  for (const SimulatorPart& part : parts_) {
    const bool is_same = std::any_of(
        later.parts_.begin(), later.parts_.end(),
        [&](const auto& each) { return each.what == part.what && each.digest == part.digest; });
    if (is_same || !is_input(part)) kept.push_back(part);
  }
  return SimulatorFingerprint(std::move(kept));
}

std::string describe(const std::vector<SimulatorChange>& changes) {
  return joined(changes, ", ", [](const SimulatorChange& change) {
    return "'" + change.path + "' (" + change.what + ")";
  });
}

}  // namespace epsfree
