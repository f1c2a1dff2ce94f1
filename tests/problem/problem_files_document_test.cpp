// docs/problem-files.md says what the program does.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "prob/priors/marginal_factory.hpp"
#include "problem/method_file.hpp"
#include "problem/problem_file.hpp"
#include "problem/run_file.hpp"

namespace epsfree {
namespace {

const std::string kDocument = read_file(std::string(EPSFREE_SOURCE_DIR) + "/docs/problem-files.md");

TEST(ProblemFilesDocument, HasEveryOptionWithItsDefaultAndHelp) {
  const ProblemSpec spec = parse_problem("[simulator]\nmodel = \"mixture\"\n", "p.toml");
  const std::string options = method_toml(spec.options, true);
  EXPECT_NE(kDocument.find("```toml\n" + options + "```"), std::string::npos)
      << "expected this block in it:\n"
      << options;
}

TEST(ProblemFilesDocument, HasEveryKeyOfRun) {
  EXPECT_NE(kDocument.find("```toml\n" + run_toml(RunOptions{}, true) + "```"), std::string::npos);
}

TEST(ProblemFilesDocument, HasEveryFamilyWithItsNumbers) {
  for (const Family family : all_families()) {
    std::string row = "| `" + family_name(family) + "` |";
    for (const std::string& name : family_parameter_names(family)) {
      row += (row.back() == '|' ? " `" : ", `") + name + "`";
    }
    EXPECT_NE(kDocument.find(row), std::string::npos) << row;
  }
}

TEST(ProblemFilesDocument, HasTheOtherKeys) {
  for (const char* key : {"name", "seed", "model", "values", "file", "observe_seed", "truth",
                          "kind", "parameter", "mean", "covariance", "names", "matrix"}) {
    EXPECT_NE(kDocument.find("| `" + std::string(key) + "`"), std::string::npos) << key;
  }
}

TEST(ProblemFilesDocument, HasEveryKeyOfEverySimulator) {
  for (int k = 0; k < kNumSimulatorKinds; ++k) {
    for (const std::string& key : simulator_keys(static_cast<SimulatorKind>(k))) {
      EXPECT_NE(kDocument.find("| `" + key + "` |"), std::string::npos) << key;
    }
  }
}

}  // namespace
}  // namespace epsfree
