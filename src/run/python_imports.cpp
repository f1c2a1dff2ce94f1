#include "run/python_imports.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "base/file.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

namespace fs = std::filesystem;

// More than a simulator has: a folder full of links that lead in a circle ends somewhere.
constexpr std::size_t kMostFiles = 1000;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The modules that a line imports, as it names them: "numpy", ".helpers", "models.sir".
std::vector<std::string> imported_by(const std::string& line) {
  static const std::regex kFrom(R"(^\s*from\s+(\.*[\w.]*)\s+import\s+\(?([\w\s,.*]*))");
  static const std::regex kImport(R"(^\s*import\s+([\w\s,.]+))");
  std::vector<std::string> names;
  std::smatch match;
  const auto add_each = [&](const std::string& list, const std::string& prefix) {
    std::istringstream items(list);
    for (std::string item; std::getline(items, item, ',');) {
      std::string name;
      std::istringstream(item) >> name;  // without "as other"
      if (!name.empty() && name != "*") names.push_back(prefix + name);
    }
  };
  if (std::regex_search(line, match, kFrom)) {
    const std::string module = match[1];
    const bool only_dots = module.find_first_not_of('.') == std::string::npos;
    if (!only_dots) names.push_back(module);
    add_each(match[2], only_dots ? module : module + ".");
  } else if (std::regex_search(line, match, kImport)) {
    add_each(match[1], "");
  }
  return names;
}

/// Every package on the way to a module is loaded, too.
void add_module(const std::string& module, const fs::path& folder, std::vector<fs::path>& files) {
  fs::path place = folder;
  std::istringstream parts(module);
  for (std::string part; std::getline(parts, part, '.');) {
    place /= part;
    if (is_file(place / "__init__.py")) {
      files.push_back(place / "__init__.py");
    } else if (is_file(place.string() + ".py")) {
      files.push_back(place.string() + ".py");
      return;
    }
  }
}

}  // namespace

std::string python_module_file(const std::string& module, const std::string& folder) {
  std::vector<fs::path> files;
  add_module(module, folder, files);
  return files.empty() ? "" : files.back().lexically_normal().string();
}

std::vector<std::string> python_files(const std::string& file, const std::string& folder) {
  std::vector<std::string> found = {fs::path(file).lexically_normal().string()};
  for (std::size_t i = 0; i < found.size() && found.size() < kMostFiles; ++i) {
    std::string text;
    try {
      text = read_file(found[i]);
    } catch (const Error&) {
      continue;
    }
    const fs::path beside = fs::path(found[i]).parent_path();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("import") == std::string::npos || line.size() > 2000) continue;
      for (const std::string& module : imported_by(line)) {
        std::vector<fs::path> files;
        const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
        if (dots == 0) {
          add_module(module, folder, files);
          if (files.empty()) add_module(module, beside, files);
        } else {
          fs::path place = beside;
          for (std::size_t up = 1; up < dots; ++up) place = place.parent_path();
          add_module(module.substr(dots), place, files);
        }
        for (const fs::path& each : files) {
          const std::string name = each.lexically_normal().string();
          if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
        }
      }
    }
  }
  return found;
}

}  // namespace epsfree
