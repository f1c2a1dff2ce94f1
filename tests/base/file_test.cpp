#include "base/file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "epsfree/error.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

TEST(File, RoundTripsBytesAndReplacesWhole) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("data.bin");
  const std::string content("a\0b\n\xff", 5);
  write_file_atomically(path, content);
  EXPECT_EQ(read_file(path), content);
  write_file_atomically(path, "short");
  EXPECT_EQ(read_file(path), "short");
}

TEST(File, FailureLeavesTheOldFileAndNoOther) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("taken");
  std::filesystem::create_directory(path);
  std::filesystem::create_directory(path + "/inside");  // rename over a non-empty folder fails
  EXPECT_THROW(write_file_atomically(path, "x"), Error);
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 1);
}

TEST(File, MissingFileNamesThePathAndTheReason) {
  try {
    read_file("/nonexistent/epsfree");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("/nonexistent/epsfree"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST(File, DirectoryIsNotAFile) {
  const TemporaryDirectory directory;
  EXPECT_THROW(read_file(directory.path()), Error);
}

}  // namespace
}  // namespace epsfree
