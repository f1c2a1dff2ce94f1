// Files to start from with a simulator of one's own: the examples of examples/simulators.
#pragma once

#include <string>
#include <vector>

namespace epsfree {

struct StarterFile {
  std::string name;
  std::string text;
  bool executable = false;
};

/// "python", "command", "worker", "plugin" and "fortran", which is a plugin, too.
const std::vector<std::string>& starter_kinds();

/// A problem file, NAME.toml, and after it a small simulator that it runs, named after it. Throws
/// ErrorKind::usage for another kind or a name that cannot be that of a program.
std::vector<StarterFile> starter_files(const std::string& kind, const std::string& name);

}  // namespace epsfree
