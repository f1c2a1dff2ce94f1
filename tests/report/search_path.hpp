// Another PATH, while a test lasts.
#pragma once

#include <stdlib.h>

#include <string>

namespace epsfree {

class SearchPath {
 public:
  explicit SearchPath(const std::string& path) {
    const char* before = ::getenv("PATH");
    if (before != nullptr) before_ = before;
    ::setenv("PATH", path.c_str(), 1);
  }
  ~SearchPath() { ::setenv("PATH", before_.c_str(), 1); }
  SearchPath(const SearchPath&) = delete;
  SearchPath& operator=(const SearchPath&) = delete;

 private:
  std::string before_;
};

}  // namespace epsfree
