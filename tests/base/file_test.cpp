#include "base/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

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

TEST(File, PermissionsAreThoseOfAnyNewFile) {
  const TemporaryDirectory directory;
  for (const mode_t mask : {mode_t{0077}, mode_t{0027}, mode_t{0022}}) {
    const mode_t before = ::umask(mask);
    const std::string path = directory.file("private");
    write_file_atomically(path, "x");
    ::umask(before);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
  }
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
