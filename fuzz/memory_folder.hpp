// A folder without a disk, where there is one, for readers that need files beside each other.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.hpp"

namespace epsfree {

class MemoryFolder {
 public:
  MemoryFolder() : path_(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") {
    path_ += "/epsfree-fuzz-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~MemoryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Its path.
  std::string write(const std::string& name, const std::string& content) const {
    write_file_atomically(path_ + "/" + name, content, Durability::none);
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

}  // namespace epsfree
