#include "problem/starter_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"
#include "problem/problem_file.hpp"
#include "support/error_of.hpp"

namespace epsfree {
namespace {

const std::string kStarterExamples = std::string(EPSFREE_SOURCE_DIR) + "/examples/simulators/";

TEST(StarterFiles, AreProblemsWithASimulatorNamedAlike) {
  for (const std::string& kind : starter_kinds()) {
    const std::vector<StarterFile> files = starter_files(kind, "mine");
    ASSERT_GE(files.size(), 2u) << kind;
    EXPECT_EQ(files[0].name, "mine.toml");
    EXPECT_EQ(files[1].name.rfind("mine.", 0), 0u);
    EXPECT_EQ(files[1].executable, kind == "command");
    const ProblemSpec spec = parse_problem(files[0].text, files[0].name);
    EXPECT_EQ(to_string(spec.simulator.kind), kind == "fortran" ? "plugin" : kind);
    EXPECT_NE(spec.model.find("mine"), std::string::npos) << spec.model;
    EXPECT_EQ(files[0].text.find("../.."), std::string::npos) << "it knows no other folder";
  }
  error_of(ErrorKind::usage, [] { starter_files("pythn", "mine"); });
  for (const char* name : {"", "a-b", "1a", "a/b", "a b"}) {
    error_of(ErrorKind::usage, [&] { starter_files("python", name); });
  }
}

TEST(StarterFiles, AreTheExamples) {
  for (const auto& [kind, name] :
       {std::pair{"python", "sir"}, {"command", "ricker"}, {"fortran", "ar1"}}) {
    for (const StarterFile& file : starter_files(kind, name)) {
      EXPECT_EQ(file.text, read_file(kStarterExamples + file.name)) << file.name;
    }
  }
}

TEST(StarterFiles, EveryExampleIsAProblem) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kStarterExamples)) {
    if (entry.path().extension() != ".toml") continue;
    const std::string path = entry.path().string();
    const ProblemSpec spec = parse_problem(read_file(path), path);
    EXPECT_TRUE(spec.problem.truth.has_value()) << path;
    ++count;
  }
  EXPECT_EQ(count, static_cast<int>(starter_kinds().size()));
}

}  // namespace
}  // namespace epsfree
