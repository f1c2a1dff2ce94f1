#include "simulate/process/scratch.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

[[noreturn]] void fail(const std::string& path, const std::error_code& error) {
  throw Error(ErrorKind::io,
              "cannot make a working directory in '" + path + "': " + error.message());
}

}  // namespace

Scratch::Scratch(std::string base, std::shared_ptr<Nursery> nursery)
    : base_(std::move(base)), nursery_(std::move(nursery)) {}

Scratch::~Scratch() {
  if (root_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
  nursery_->forget_scratch(root_);
}

std::string Scratch::make() {
  {
    const std::lock_guard lock(mutex_);
    if (root_.empty()) root_ = make_root();
    if (!empty_.empty()) {
      std::string directory = std::move(empty_.back());
      empty_.pop_back();
      return directory;
    }
  }
  const std::string directory = root_ + "/" + std::to_string(next_.fetch_add(1) + 1);
  if (::mkdir(directory.c_str(), 0700) != 0) {
    fail(root_, std::error_code(errno, std::generic_category()));
  }
  return directory;
}

std::string Scratch::make_root() const {
  std::error_code error;
  std::filesystem::create_directories(base_, error);
  if (error) fail(base_, error);
  std::string name = (std::filesystem::path(base_) / "epsfree-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    fail(base_, std::error_code(errno, std::generic_category()));
  }
  nursery_->remember_scratch(name);
  return name;
}

void Scratch::remove(const std::string& directory, bool reuse) {
  std::error_code error;
  if (reuse && std::filesystem::is_empty(directory, error) && !error) {
    const std::lock_guard lock(mutex_);
    empty_.push_back(directory);
    return;
  }
  if (::rmdir(directory.c_str()) == 0) return;
  // What cannot be removed now, because something still writes to it, goes with the root.
  std::filesystem::remove_all(directory, error);
}

}  // namespace epsfree
