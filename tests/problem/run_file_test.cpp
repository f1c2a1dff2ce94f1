#include "problem/run_file.hpp"

#include <gtest/gtest.h>

#include "problem/problem_file.hpp"
#include "support/error_of.hpp"

namespace epsfree {
namespace {

RunOptions read(const std::string& text, const RunOverrides& overrides = {}) {
  return parse_problem("[simulator]\nmodel = \"mixture\"\n" + text, "p.toml", {.run = overrides})
      .run;
}

TEST(RunFile, WhatIsWrittenIsReadBack) {
  RunOptions options{.threads = 3, .record = Recording::never, .retries = 4};
  options.chunk = 5;
  options.give_up_after = 6;
  options.time_limit = 7.5;
  for (const bool comments : {false, true}) {
    EXPECT_EQ(run_toml(read(run_toml(options, comments)), comments), run_toml(options, comments));
  }
  EXPECT_EQ(run_toml(read(""), false), run_toml(RunOptions{}, false));
  EXPECT_EQ(options.runner().num_threads, 3);
  EXPECT_EQ(options.runner().give_up_after, 6);
}

TEST(RunFile, TheCommandLineHasTheLastWord) {
  const RunOptions options =
      read("[run]\nthreads = 3\nretries = 2\n", {{"threads", "1"}, {"record", "\"always\""}});
  EXPECT_EQ(options.threads, 1);
  EXPECT_EQ(options.retries, 2);
  EXPECT_EQ(options.record, Recording::always);
}

TEST(RunFile, FaultsHaveTheirPlace) {
  const auto message = [](const std::string& text) {
    return error_of(ErrorKind::input, [&] { read(text); });
  };
  EXPECT_NE(message("[run]\nthreads = -1\n").find("p.toml:4"), std::string::npos);
  EXPECT_NE(message("[run]\nrecord = \"allways\"\n").find("always"), std::string::npos);
  EXPECT_NE(message("[run]\ntime_limit = -3\n").find("run.time_limit"), std::string::npos);
  EXPECT_NE(message("[run]\nthread = 3\n").find("run.thread"), std::string::npos);
}

}  // namespace
}  // namespace epsfree
