// A shared library that holds a simulator, and the functions that it exports.
#pragma once

#include <epsfree_plugin.h>

#include <string>

#include "epsfree/plugin.hpp"

namespace epsfree {

/// Loaded once and never unloaded: the run-time libraries of Fortran and OpenMP do not survive
/// that, and a loaded library costs nothing.
class PluginLibrary {
 public:
  /// Throws as plugin_simulator does.
  explicit PluginLibrary(const std::string& path);

  const PluginInfo& info() const { return info_; }
  decltype(&epsfree_simulate) simulate = nullptr;
  decltype(&epsfree_simulate_batch) simulate_batch = nullptr;  ///< null: there is none

 private:
  PluginInfo info_;
};

}  // namespace epsfree
