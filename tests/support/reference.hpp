// Reference data (posteriors of the literature) that tests compare with; it is not part of this
// repository. It is looked for in the directory that the environment variable EPSFREE_REFERENCE
// names, else in ../shared/reference beside the sources.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace epsfree {

/// Whether whatever is missing must be a failure.
inline bool continuous_integration() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string(ci) == "true";
}

/// The path that reference data of this name has, or would have; for example
/// "paper/mg1_queue.json".
inline std::string reference_path(const std::string& name) {
  const char* directory = std::getenv("EPSFREE_REFERENCE");
  const std::filesystem::path root =
      directory != nullptr && *directory != '\0'
          ? std::filesystem::path(directory)
          : std::filesystem::path(EPSFREE_SOURCE_DIR).parent_path() / "shared" / "reference";
  return (root / name).string();
}

}  // namespace epsfree

/// At the start of a test that needs reference data: without it the test is skipped, or fails where
/// CI=true.
#define EPSFREE_NEED_REFERENCE(name)                                                     \
  if (!std::filesystem::exists(::epsfree::reference_path(name))) {                       \
    if (::epsfree::continuous_integration()) {                                           \
      FAIL() << "reference data missing (CI=true): " << ::epsfree::reference_path(name); \
    }                                                                                    \
    GTEST_SKIP() << "no reference data " << ::epsfree::reference_path(name)              \
                 << "; set EPSFREE_REFERENCE to the directory that holds it";            \
  }                                                                                      \
  static_assert(true, "a semicolon follows")
