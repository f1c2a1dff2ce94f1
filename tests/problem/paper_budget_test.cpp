#include "problem/paper_budget.hpp"

#include <gtest/gtest.h>

#include "epsfree/models.hpp"
#include "infer/methods.hpp"
#include "problem/problem_file.hpp"

namespace epsfree {
namespace {

TEST(PaperBudget, IsThatOfThePapersSettings) {
  for (const auto& model : models()) {
    const ProblemSpec spec = load_problem(std::string(EPSFREE_SOURCE_DIR) + "/examples/paper/" +
                                          model->name() + "-mdn-with-proposal.toml");
    EXPECT_EQ(paper_budget(model->name()), spec.options.num_simulations) << model->name();
  }
}

TEST(StarterOptions, SuitAnyBudget) {
  for (const auto& model : models()) {
    for (const std::string& method : method_names()) {
      for (const Index budget : {77, 180, 740, 4000, 10007}) {
        EXPECT_NO_THROW(with_budget(starter_options(model->name(), method), budget).validate())
            << model->name() << " " << method << " " << budget;
      }
    }
  }
}

}  // namespace
}  // namespace epsfree
