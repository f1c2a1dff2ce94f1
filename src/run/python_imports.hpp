// Which files of its own a Python program consists of.
#pragma once

#include <string>
#include <vector>

namespace epsfree {

/// `file` and the files that it imports, directly or not, from `folder` or from beside the file
/// that imports them; each once, `file` first. Found by reading the import statements: nothing is
/// run, and what is installed elsewhere does not count.
std::vector<std::string> python_files(const std::string& file, const std::string& folder);

/// The file of a module, "sir" or "models.sir", in a folder; empty if it is not there.
std::string python_module_file(const std::string& module, const std::string& folder);

}  // namespace epsfree
