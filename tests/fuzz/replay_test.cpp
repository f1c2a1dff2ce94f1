// Every reader over the corpus of its fuzzer: success or epsfree::Error, as fuzz/NAME.cpp says.
// What is wrong ends the program; the last file named is the one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/file.hpp"

#define EPSFREE_FUZZ_NAME(name) void fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_names.inc"
#undef EPSFREE_FUZZ_NAME

namespace epsfree {
namespace {

namespace fs = std::filesystem;

using Target = void (*)(const std::uint8_t* data, std::size_t size);

void replay(const std::string& name, Target target) {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(EPSFREE_SOURCE_DIR) / "fuzz" / "corpus" / name)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), 3u) << "a corpus that tries nothing";
  for (const fs::path& file : files) {
    std::cout << file.string() << std::endl;
    const std::string bytes = read_file(file.string());
    target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  target(nullptr, 0);
}

#define EPSFREE_FUZZ_NAME(name) \
  TEST(Replay, name) { replay(#name, &fuzz_##name); }
#include "fuzz_names.inc"
#undef EPSFREE_FUZZ_NAME

}  // namespace
}  // namespace epsfree
