#include "run/user_key.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "simulate/process/descriptor.hpp"

namespace epsfree {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyBytes = 32;

std::string home_directory() {
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return home;
  const passwd* const user = ::getpwuid(::geteuid());
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "";
}

std::string reason(int code) { return std::strerror(code); }

/// Nothing if it is not there.
std::optional<UserKey> read_key(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return UserKey{.why_not = "'" + path + "' cannot be read: " + reason(errno)};
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return UserKey{.why_not = "'" + path + "' is not a file"};
  }
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return UserKey{.why_not = "'" + path +
                              "' belongs to another user or others can read it; remove it, and "
                              "epsfree makes a new one"};
  }
  std::array<char, kKeyBytes + 1> bytes{};
  const long size = ::read(file.get(), bytes.data(), bytes.size());
  if (size != static_cast<long>(kKeyBytes)) {
    return UserKey{.why_not = "'" + path + "' is damaged; remove it, and epsfree makes a new one"};
  }
  return UserKey{.bytes = std::string(bytes.data(), kKeyBytes)};
}

/// Writes the key under a temporary name, then links it. If several processes do this at once, even
/// on several machines that share a home directory, one of them wins and all read its key.
std::string make_key(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  fs::create_directories(folder, error);
  if (error) return "'" + folder.string() + "' cannot be created: " + error.message();
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || status.st_uid != ::geteuid()) {
    return "'" + folder.string() + "' belongs to another user";
  }
  std::array<char, kKeyBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<long>(bytes.size())) {
    return "the system gave no random numbers: " + reason(errno);
  }
  std::string pattern = path + ".new-XXXXXX";
  const Descriptor file(::mkostemp(pattern.data(), O_CLOEXEC));  // for its owner alone
  if (!file.is_open()) return "'" + path + "' cannot be written: " + reason(errno);
  const bool written =
      ::write(file.get(), bytes.data(), bytes.size()) == static_cast<long>(bytes.size()) &&
      ::fsync(file.get()) == 0;
  const int code = errno;
  const bool linked = written && (::link(pattern.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const int link_code = errno;
  ::unlink(pattern.c_str());
  if (!written) return "'" + path + "' cannot be written: " + reason(code);
  if (!linked) return "'" + path + "' cannot be created: " + reason(link_code);
  return "";
}

}  // namespace

std::string user_key_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  fs::path folder;
  if (state != nullptr && state[0] == '/') {
    folder = state;
  } else {
    const std::string home = home_directory();
    if (home.empty() || home == "/") return "";
    folder = fs::path(home) / ".local" / "state";
  }
  return (folder / "epsfree" / "key").string();
}

UserKey user_key(bool make) {
  const std::string path = user_key_path();
  if (path.empty()) return {.why_not = "there is no home directory for the key"};
  if (auto key = read_key(path)) return *key;
  if (!make) return {.why_not = "'" + path + "' does not exist"};
  const std::string complaint = make_key(path);
  if (!complaint.empty()) return {.why_not = complaint};
  return read_key(path).value_or(UserKey{.why_not = "'" + path + "' has disappeared"});
}

}  // namespace epsfree
