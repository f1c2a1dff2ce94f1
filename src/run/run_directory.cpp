#include "run/run_directory.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/file.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace fs = std::filesystem;
namespace {

constexpr std::array kFiles = {kRunFile,    kPosteriorFile, kEstimatorFile, kSummaryFile,
                               kLedgerFile, kStatusFile,    kCheckFile,     kCheckLedgerFile,
                               kReportFile, kOriginFile};
constexpr std::array kLedgers = {kLedgerFile, kCheckLedgerFile};

[[noreturn]] void fail_io(const std::string& action, const std::string& path, int code) {
  throw Error(ErrorKind::io, "cannot " + action + " '" + path + "': " + std::strerror(code));
}

/// What an atomic write, a commit or the mending of a ledger leaves if it is cut short.
bool is_temporary(const std::string& name) {
  return std::any_of(kLedgers.begin(), kLedgers.end(),
                     [&](const std::string ledger) {
                       return name == ledger + ".mending" || name == ledger + ".mending-wal";
                     }) ||
         std::any_of(kFiles.begin(), kFiles.end(),
                     [&](const char* file) { return is_temporary_of(name, file); });
}

bool is_ours(const fs::path& file) {
  const std::string name = file.filename().string();
  return std::find(kFiles.begin(), kFiles.end(), name) != kFiles.end() ||
         std::any_of(kLedgers.begin(), kLedgers.end(),
                     [&](const std::string ledger) {
                       return name == ledger + "-wal" || name == ledger + "-journal";
                     }) ||
         name.starts_with("ledger.damaged-") || name.starts_with("check.damaged-") ||
         is_temporary(name);
}

/// Whether there is anything, all of it of a run.
bool holds_run(const std::string& target, const std::string& shown) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (error) fail_io("write to", shown, error.value());
  if (!fs::is_directory(status)) {
    throw Error(ErrorKind::usage,
                "'" + shown + "' is a file; give --out the name of a directory that is new");
  }
  bool any = false;
  for (fs::directory_iterator at(target, error), end; !error && at != end; at.increment(error)) {
    any = true;
    if (!is_ours(at->path())) {
      throw Error(ErrorKind::usage, "'" + shown + "' holds files that are not of a run ('" +
                                        at->path().filename().string() +
                                        "'); give --out another directory");
    }
  }
  if (error) fail_io("read", shown, error.value());
  return any;
}

// Makes a directory of a new name in `parent` that only this process uses.
std::string make_temporary(const fs::path& parent, const std::string& name,
                           const std::string& shown) {
  std::string pattern = (parent / ("." + name + ".tmp-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) fail_io("write to", shown, errno);
  return pattern;
}

void check_target(const std::string& target, const std::string& shown, bool force) {
  if (holds_run(target, shown) && !force) {
    throw Error(ErrorKind::usage, "'" + shown +
                                      "' exists already; use --force to replace it or --out to "
                                      "write elsewhere");
  }
}

// The nearest directory above that exists.
fs::path existing_ancestor(fs::path path, const std::string& shown) {
  while (true) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) return path;
    if (status.type() != fs::file_type::not_found) {
      fail_io("write to", shown, error ? error.value() : ENOTDIR);
    }
    if (!path.has_parent_path() || path == path.parent_path()) fail_io("write to", shown, ENOENT);
    path = path.parent_path();
  }
}

}  // namespace

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool same_directory(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

RunDirectory::RunDirectory(const std::string& path, bool force) : path_(path), force_(force) {
  if (path.empty()) throw Error(ErrorKind::usage, "--out: expected a directory, got an empty name");
  std::error_code error;
  fs::path target = fs::weakly_canonical(fs::absolute(path), error);
  if (error) fail_io("write to", path, error.value());
  if (!target.has_filename()) target = target.parent_path();
  target_ = target.string();
  check_target(target_, path_, force_);
  // Better to learn of a read-only place now than after the simulations.
  const fs::path parent = existing_ancestor(target.parent_path(), path_);
  const std::string probe = make_temporary(parent, "epsfree", path_);
  if (::rmdir(probe.c_str()) != 0) fail_io("write to", path_, errno);
}

RunDirectory::~RunDirectory() {
  if (staging_.empty()) return;
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
}

std::string RunDirectory::staged(const std::string& file) {
  if (staging_.empty()) {
    const fs::path target(target_);
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    if (error) fail_io("create", target.parent_path().string(), error.value());
    staging_ = make_temporary(target.parent_path(), target.filename().string(), path_);
    if (::chmod(staging_.c_str(), 0755) != 0) fail_io("write to", path_, errno);
  }
  return staging_ + "/" + file;
}

void RunDirectory::publish() {
  check_target(target_, path_, force_);  // someone else may have made it in the meantime
  // A directory can only be renamed over an empty one, so an old run is moved away first.
  std::string old;
  std::error_code error;
  if (fs::exists(target_, error) && !fs::is_empty(target_, error)) {
    const fs::path target(target_);
    old = make_temporary(target.parent_path(), target.filename().string(), path_);
    if (std::rename(target_.c_str(), old.c_str()) != 0) {
      const int code = errno;
      ::rmdir(old.c_str());
      fail_io("replace", path_, code);
    }
  }
  if (std::rename(staging_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    if (!old.empty()) (void)std::rename(old.c_str(), target_.c_str());
    fail_io("write to", path_, code);
  }
  staging_.clear();
  if (!old.empty()) fs::remove_all(old, error);
}

bool check_run_directory(const std::string& path) {
  if (path.empty()) throw Error(ErrorKind::usage, "--out: expected a directory, got an empty name");
  const fs::path target(path);
  existing_ancestor(
      fs::absolute(target.has_filename() ? target : target.parent_path()).parent_path(), path);
  return holds_run(path, path);
}

void make_run_directory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail_io("write to", path, error.value());
  const std::string probe = make_temporary(path, "epsfree", path);
  if (::rmdir(probe.c_str()) != 0) fail_io("write to", path, errno);
}

void clear_run_directory(const std::string& path) {
  if (!is_directory(path)) return;
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (is_ours(entry.path())) files.push_back(entry.path());
  }
  // The summary first: what is half removed must not look finished.
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const bool first = a.filename() == kSummaryFile, second = b.filename() == kSummaryFile;
    return first != second ? first : a < b;
  });
  for (const fs::path& file : files) {
    if (!fs::remove(file, error) && error) fail_io("remove", file.string(), error.value());
  }
  fs::remove(path, error);  // unless something else is there
}

void remove_temporaries(const std::string& path) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored)) {
    if (is_temporary(entry.path().filename().string())) fs::remove(entry.path(), ignored);
  }
}

std::string run_file(const std::string& path, const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) fail_io("read", path, ENOENT);
  if (!fs::is_directory(status)) return path;
  const std::string inside = (fs::path(path) / file).string();
  if (!fs::exists(inside, error)) {
    throw Error(ErrorKind::input, "'" + path + "' is not a finished run: it has no " + file);
  }
  return inside;
}

}  // namespace epsfree
