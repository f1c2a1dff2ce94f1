// Every problem file in examples/ is one, and those to start from are what `epsfree init` writes.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "epsfree/models.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "problem/problem_file.hpp"

namespace epsfree {
namespace {

const std::string kExamples = std::string(EPSFREE_SOURCE_DIR) + "/examples";

TEST(Examples, ThoseToStartFromAreWhatInitWrites) {
  for (const auto& model : models()) {
    const std::string path = kExamples + "/" + model->name() + ".toml";
    EXPECT_EQ(read_file(path), starter_toml(model->name()))
        << "write it anew: rm " << path << " && epsfree init " << model->name() << " --out "
        << path;
    const ProblemSpec spec = load_problem(path);
    EXPECT_EQ(spec.model, model->name());
    EXPECT_EQ(spec.problem.observed, model->default_observed());
  }
}

TEST(Examples, ThePaperHasThreeStrategiesForEachModel) {
  std::set<std::string> expected, found;
  for (const auto& model : models()) {
    for (const char* strategy : {"mdn-with-prior", "proposal-prior", "mdn-with-proposal"}) {
      const std::string name = model->name() + "-" + strategy;
      expected.insert(name + ".toml");
      const ProblemSpec spec = load_problem(kExamples + "/paper/" + name + ".toml");
      EXPECT_EQ(spec.model, model->name());
      EXPECT_EQ(method_name(spec.options.method), strategy);
      const auto settings = mdn_settings(spec.options.method);
      ASSERT_TRUE(settings.has_value());
      EXPECT_EQ(settings->pilot.scaling, Scaling::as_is);
      EXPECT_EQ(settings->network.variational, std::string(strategy) != "mdn-with-prior");
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(kExamples + "/paper")) {
    found.insert(entry.path().filename().string());
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace epsfree
