// Simulators in shared libraries, in C, C++ or Fortran: epsfree_plugin.h says what they export.
#pragma once

#include <optional>
#include <string>

#include "epsfree/simulator.hpp"

namespace epsfree {

struct PluginOptions {
  std::string path;  ///< of the library; a name without a folder is one in the current folder
  /// What the problem has; 0: what the library says. Where both say something they must agree.
  Index num_parameters = 0;
  Index num_statistics = 0;
  /// Whether it may be called from several threads at once; none: what the library says, and if it
  /// does not, no. Calls are then made one after the other.
  std::optional<bool> thread_safe = {};
  void validate() const;
};

/// What a library says about itself.
struct PluginInfo {
  Index num_parameters = 0;  ///< 0: any
  Index num_statistics = 0;  ///< 0: any
  bool thread_safe = false;
  bool has_batch = false;
};

/// Loads the library; it stays loaded until the program ends. Throws ErrorKind::io if there is no
/// such file and ErrorKind::input if it is no library, lacks a function, was made for another
/// version of epsfree_plugin.h or has other dimensions.
///
/// The seed of a simulation is the first bits64() of its stream. A crash of the library is a crash
/// of this program: a simulator that may crash or hang is better run as a process of its own.
SimulatorPtr plugin_simulator(const PluginOptions& options);

/// Loads it only to ask.
PluginInfo plugin_info(const std::string& path);

}  // namespace epsfree
