#include "simulate/plugin_library.hpp"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <filesystem>

#include "base/file.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

constexpr int kMostDimensions = 1'000'000;

[[noreturn]] void reject(const std::string& path, const std::string& message) {
  throw Error(ErrorKind::input, "plugin '" + path + "' " + message);
}

std::string last_dl_error() {
  const char* text = ::dlerror();
  return text != nullptr ? text : "no reason given";
}

// The dynamic linker maps what the headers promise, and a file that ends before crashes this
// program. What is not an ELF file of this kind is left to the linker to refuse.
bool is_truncated(const std::string& file) {
  Elf64_Ehdr header = {};
  if (file.compare(0, SELFMAG, ELFMAG) != 0) return false;
  if (file.size() < sizeof(header)) return true;
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return false;
  }
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment = {};
    const std::size_t at = header.e_phoff + i * sizeof(segment);
    if (at > file.size() || file.size() - at < sizeof(segment)) return true;
    std::memcpy(&segment, file.data() + at, sizeof(segment));
    if (segment.p_offset > file.size() || file.size() - segment.p_offset < segment.p_filesz) {
      return true;
    }
  }
  return false;
}

void* open_library(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::io,
                "plugin '" + path + "' does not exist; build it with, for example, " +
                    "`cc -O2 -shared -fPIC -o " + std::filesystem::path(path).filename().string() +
                    " simulator.c -lm`");
  }
  if (std::filesystem::is_directory(status)) reject(path, "is a directory, not a shared library");
  if (is_truncated(read_file(path))) {
    reject(path, "cannot be loaded as a shared library: the file is not complete; build it again");
  }
  // The dynamic linker looks for a name without a folder in the system's folders only.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) reject(path, "cannot be loaded as a shared library: " + last_dl_error());
  return handle;
}

template <class Function>
Function find(void* handle, const char* name) {
  // The one way from an object pointer to a function pointer that POSIX promises.
  return reinterpret_cast<Function>(::dlsym(handle, name));
}

template <class Function>
Function symbol_of(void* handle, const std::string& path, const char* name) {
  const auto function = find<Function>(handle, name);
  if (function == nullptr) {
    reject(path, std::string("does not export the function '") + name +
                     "', which epsfree_plugin.h asks for");
  }
  return function;
}

Index checked_dimension(const std::string& path, const char* what, int value) {
  if (value < 0 || value > kMostDimensions) {
    reject(path, "says that it has " + std::to_string(value) + " " + what +
                     ", expected 0 (any) to " + std::to_string(kMostDimensions));
  }
  return value;
}

}  // namespace

PluginLibrary::PluginLibrary(const std::string& path) {
  void* handle = open_library(path);
  // The version first: another one may have other functions.
  const auto version =
      symbol_of<decltype(&epsfree_plugin_version)>(handle, path, "epsfree_plugin_version")();
  if (version != EPSFREE_PLUGIN_VERSION) {
    reject(path, "was made for version " + std::to_string(version) +
                     " of epsfree_plugin.h, expected version " +
                     std::to_string(EPSFREE_PLUGIN_VERSION) + ": compile it again");
  }
  using Ask = decltype(&epsfree_plugin_num_parameters);
  info_.num_parameters = checked_dimension(
      path, "parameters", symbol_of<Ask>(handle, path, "epsfree_plugin_num_parameters")());
  info_.num_statistics = checked_dimension(
      path, "statistics", symbol_of<Ask>(handle, path, "epsfree_plugin_num_statistics")());
  const auto is_thread_safe = find<Ask>(handle, "epsfree_plugin_is_thread_safe");
  info_.thread_safe = is_thread_safe != nullptr && is_thread_safe() != 0;
  simulate_batch = find<decltype(&epsfree_simulate_batch)>(handle, "epsfree_simulate_batch");
  info_.has_batch = simulate_batch != nullptr;
  simulate = info_.has_batch
                 ? find<decltype(&epsfree_simulate)>(handle, "epsfree_simulate")
                 : symbol_of<decltype(&epsfree_simulate)>(handle, path, "epsfree_simulate");
}

PluginInfo plugin_info(const std::string& path) { return PluginLibrary(path).info(); }

}  // namespace epsfree
