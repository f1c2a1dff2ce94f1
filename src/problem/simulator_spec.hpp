// The simulator that a problem file names, before it is opened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "epsfree/models.hpp"
#include "epsfree/plugin.hpp"
#include "epsfree/process_simulators.hpp"

namespace epsfree {

/// Where the simulator comes from; the key of [simulator] that names it has the same name.
enum class SimulatorKind {
  model,
  plugin,
  command,
  worker,
  python,
  closure,  ///< a Python function that no file names; only the Python session that made it has it
};
inline constexpr int kNumSimulatorKinds = 6;
const char* to_string(SimulatorKind kind);

/// A file or function that a simulator consists of (simulator_fingerprint.hpp).
struct SimulatorPart {
  std::string what;    ///< "program", "argument 1", "module sir"
  std::string path;    ///< for people
  std::string digest;  ///< hash of its content
};

/// What [simulator] says, paths made absolute.
struct SimulatorSpec {
  SimulatorKind kind = SimulatorKind::model;
  /// For people: "mg1-queue", "command ./sir", "python sir:simulate".
  std::string label = {};
  std::string place = {};  ///< of the key that names it: "problem.toml:4: key 'simulator.command'"
  std::shared_ptr<const Model> model = {};  ///< null: a simulator of the user's own
  std::vector<std::string> statistic_names = {};
  bool statistics_are_named = false;  ///< otherwise they are x1, x2, ...
  PluginOptions plugin = {};          ///< its path is relative to the next, or absolute
  std::string plugin_directory = {};  ///< absolute
  CommandOptions command = {};
  WorkerOptions worker = {};  ///< of `python`, too; its arguments are made when it is opened
  std::string python = {};    ///< "module:function"
  std::string interpreter = "python3";
  std::string closure = {};                       ///< what the function is called, for people
  std::vector<SimulatorPart> closure_parts = {};  ///< what Python says that it consists of

  Index num_statistics() const { return static_cast<Index>(statistic_names.size()); }
  /// Of a simulator that runs as a process of its own; null for others.
  const ProcessOptions* process() const;
  /// Of a plugin, with its path absolute.
  PluginOptions resolved_plugin() const;
};

}  // namespace epsfree
