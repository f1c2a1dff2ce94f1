#include "run/run_directory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

std::set<std::string> entries(const std::string& path) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

void make_run(const std::string& path, const std::string& content, bool force = false) {
  RunDirectory directory(path, force);
  write_file_atomically(directory.staged(kSummaryFile), content);
  directory.publish();
}

TEST(RunDirectory, AppearsWholeOrNotAtAll) {
  const TemporaryDirectory root;
  const std::string out = root.file("a/b/run");
  {
    RunDirectory directory(out, false);
    EXPECT_TRUE(entries(root.path()).empty()) << "the check leaves no trace";
    write_file_atomically(directory.staged(kSummaryFile), "x");
    EXPECT_FALSE(std::filesystem::exists(out));
  }
  EXPECT_TRUE(entries(root.file("a/b")).empty()) << "what was not published is gone";
  make_run(out, "x");
  EXPECT_EQ(entries(root.file("a/b")), std::set<std::string>{"run"});
  EXPECT_EQ(entries(out), std::set<std::string>{kSummaryFile});
}

TEST(RunDirectory, ReplacesARunOnlyWhenForced) {
  const TemporaryDirectory root;
  const std::string out = root.file("run");
  make_run(out, "old");
  write_file_atomically(out + "/" + kRunFile, "old");
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { make_run(out, "new"); }),
            "'" + out + "' exists already; use --force to replace it or --out to write elsewhere");
  make_run(out, "new", true);
  EXPECT_EQ(read_file(out + "/" + kSummaryFile), "new");
  EXPECT_EQ(entries(out).size(), 1u) << "nothing of the old run is left";
  EXPECT_EQ(entries(root.path()).size(), 1u);
}

TEST(RunDirectory, NeverTouchesForeignFiles) {
  const TemporaryDirectory root;
  const std::string out = root.file("work");
  make_run(out, "old");
  write_file_atomically(out + "/thesis.tex", "years of work");
  const std::string message = error_of(ErrorKind::usage, [&] { make_run(out, "new", true); });
  EXPECT_NE(message.find("thesis.tex"), std::string::npos);
  EXPECT_EQ(read_file(out + "/thesis.tex"), "years of work");
  write_file_atomically(root.file("file"), "x");
  error_of(ErrorKind::usage, [&] { make_run(root.file("file"), "new", true); });
  EXPECT_EQ(read_file(root.file("file")), "x");
}

TEST(RunDirectory, AnEmptyDirectoryIsNoObstacle) {
  const TemporaryDirectory root;
  std::filesystem::create_directory(root.file("run"));
  make_run(root.file("run/"), "x");
  EXPECT_EQ(read_file(root.file("run/summary.json")), "x");
}

TEST(RunDirectory, UnwritablePlacesAreFoundAtOnce) {
  const TemporaryDirectory root;
  write_file_atomically(root.file("file"), "x");
  const std::string below = root.file("file/run");
  EXPECT_NE(error_of(ErrorKind::io, [&] { RunDirectory(below, false); }).find(below),
            std::string::npos);
  error_of(ErrorKind::io, [] { RunDirectory("/proc/epsfree/run", false); });
}

TEST(RunDirectory, FilesOfARunAreFound) {
  const TemporaryDirectory root;
  make_run(root.file("run"), "x");
  EXPECT_EQ(run_file(root.file("run"), kSummaryFile), root.file("run/summary.json"));
  EXPECT_EQ(run_file(root.file("run/summary.json"), kSummaryFile), root.file("run/summary.json"));
  error_of(ErrorKind::input, [&] { run_file(root.file("run"), kPosteriorFile); });
  error_of(ErrorKind::io, [&] { run_file(root.file("none"), kPosteriorFile); });
}

}  // namespace
}  // namespace epsfree
