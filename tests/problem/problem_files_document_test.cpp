// docs/problem-files.md says what the program does.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "infer/methods.hpp"
#include "prob/priors/marginal_factory.hpp"
#include "problem/method_reference.hpp"
#include "problem/problem_file.hpp"
#include "problem/run_file.hpp"

namespace epsfree {
namespace {

const std::string kDocument = read_file(std::string(EPSFREE_SOURCE_DIR) + "/docs/problem-files.md");

TEST(ProblemFilesDocument, HasEveryMethod) {
  EXPECT_NE(kDocument.find(methods_markdown()), std::string::npos)
      << "expected this table in it; `epsfree methods --markdown` prints it:\n"
      << methods_markdown();
}

TEST(ProblemFilesDocument, HasEveryOptionWithItsDefaultRangeAndHelp) {
  EXPECT_NE(kDocument.find(options_markdown()), std::string::npos)
      << "expected these tables in it; `epsfree methods --markdown` prints them:\n"
      << options_markdown();
  for (const MethodEntry& entry : methods()) {
    EXPECT_NE(kDocument.find("| `" + entry.name + "` |"), std::string::npos);
  }
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
