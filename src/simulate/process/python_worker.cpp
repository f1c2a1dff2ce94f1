#include <cstdlib>
#include <filesystem>

#include "epsfree/error.hpp"
#include "epsfree/process_simulators.hpp"

namespace epsfree {
namespace {

constexpr const char* kShim = "epsfree_worker.py";
constexpr const char* kVariable = "EPSFREE_WORKER_PY";

std::string find_shim() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const char* named = std::getenv(kVariable);
  if (named != nullptr && *named != '\0') {
    if (fs::is_regular_file(named, ignored)) return fs::absolute(named).string();
    throw Error(ErrorKind::io, std::string("the environment variable ") + kVariable + " names '" +
                                   named + "', which is not a file");
  }
  // A program that was moved with all that belongs to it, the sources, where it was installed to.
  const fs::path places[] = {
      fs::read_symlink("/proc/self/exe", ignored).parent_path() / "../share/epsfree" / kShim,
      fs::path(EPSFREE_SOURCE_PYTHON) / kShim, fs::path(EPSFREE_INSTALLED_PYTHON) / kShim};
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, ignored)) return place.lexically_normal().string();
  }
  throw Error(ErrorKind::io, std::string(kShim) + " was not found in '" +
                                 places[2].parent_path().string() + "'; the environment variable " +
                                 kVariable + " may name it");
}

}  // namespace

std::vector<std::string> python_worker_argv(const std::string& target, const std::string& python) {
  const std::size_t colon = target.find(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == target.size() ||
      target.find(':', colon + 1) != std::string::npos ||
      target.find_first_of(" \t/\\") != std::string::npos) {
    throw Error(ErrorKind::input, "the Python simulator is '" + target +
                                      "'; it must be module:function, as in 'model:simulate' for "
                                      "simulate() in model.py");
  }
  return {python, find_shim(), target};
}

}  // namespace epsfree
