#include "base/file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

[[noreturn]] void fail(const std::string& action, const std::string& path, int code) {
  throw Error(ErrorKind::io, "cannot " + action + " '" + path + "': " + std::strerror(code));
}

void write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// A new file next to `path`, with the permissions the process gives to any new file (mkstemp would
/// give its own, and what the umask says cannot be asked without changing it).
int open_temporary(const std::string& path, std::string& temporary) {
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    unsigned number = 0;
    if (::getentropy(&number, sizeof number) != 0) break;
    char suffix[16];
    std::snprintf(suffix, sizeof suffix, ".tmp-%08x", number);
    temporary = path + suffix;
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST) break;
  }
  fail("write", path, errno);
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail("read", path, EISDIR);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail("read", path, errno != 0 ? errno : EIO);
  std::ostringstream content;
  content << stream.rdbuf();
  if (stream.bad()) fail("read", path, EIO);
  return std::move(content).str();
}

bool is_temporary_of(std::string_view file_name, std::string_view name) {
  constexpr std::string_view kMark = ".tmp-";
  return file_name.size() == name.size() + kMark.size() + 8 && file_name.starts_with(name) &&
         file_name.substr(name.size()).starts_with(kMark);
}

void write_file_atomically(const std::string& path, std::string_view content,
                           Durability durability) {
  std::string temporary;
  const int descriptor = open_temporary(path, temporary);
  try {
    write_all(descriptor, content, path);
    if (durability == Durability::synced && ::fsync(descriptor) != 0) fail("write", path, errno);
  } catch (...) {
    ::close(descriptor);
    ::unlink(temporary.c_str());
    throw;
  }
  if (::close(descriptor) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int code = errno;
    ::unlink(temporary.c_str());
    fail("write", path, code);
  }
  if (durability == Durability::none) return;
  // The rename itself is durable only once the directory is synced; a failure here loses nothing
  // but durability, so it is not an error.
  std::string directory = std::filesystem::path(path).parent_path().string();
  if (directory.empty()) directory = ".";
  const int folder = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    (void)::fsync(folder);
    ::close(folder);
  }
}

}  // namespace epsfree
