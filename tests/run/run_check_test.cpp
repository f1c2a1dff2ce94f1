#include "run/run_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/contains.hpp"

namespace epsfree {
namespace {

/// theta + noise, where 3% of the prior is valid: as a simulator that is undefined elsewhere.
ProblemSpec rarely_valid(double observed) {
  ProblemSpec spec;
  spec.source = "p.toml";
  spec.model = "function";
  spec.statistic_names = {"x"};
  spec.problem.prior = independent_prior({Marginal::uniform(0, 100)});
  spec.problem.simulator =
      function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream& stream) -> Eigen::VectorXd {
        const double x = theta[0] + 0.3 * stream.normal();
        return Eigen::VectorXd::Constant(1, theta[0] > 3 ? std::nan("") : x);
      });
  spec.problem.observed = Eigen::VectorXd::Constant(1, observed);
  spec.problem.names = {"theta"};
  spec.options.num_simulations = 1200;
  spec.options.seed = 2;
  return spec;
}

CheckRecord check_of(const ProblemSpec& spec) {
  ThreadRunner runner(1);
  const InferResult result = infer(spec.problem, spec.options, runner);
  EXPECT_NEAR(result.posterior->mean()[0], spec.problem.observed[0], 0.3);
  return check_answer(spec, result, {}, runner);
}

// Too few simulations from the prior are valid to compare with: that is no fault of the answer.
TEST(RunCheck, APriorThatIsRarelyValidIsNoFault) {
  const CheckRecord record = check_of(rarely_valid(1.5));
  for (const Diagnosis& each : record.diagnoses) {
    EXPECT_EQ(each.verdict, Verdict::pass) << each.name << ": " << each.sentence();
  }
  EXPECT_EQ(record.find("misspecification-prior"), nullptr);
  EXPECT_NE(record.find("misspecification-posterior"), nullptr);
  ASSERT_EQ(record.notes.size(), 1u);
  EXPECT_CONTAINS(record.notes[0], "of 120 simulations from the prior are valid");
}

TEST(RunCheck, WhereEnoughAreValidTheyAreCompared) {
  ProblemSpec spec = rarely_valid(1.5);
  spec.problem.prior = independent_prior({Marginal::uniform(0, 4)});
  const CheckRecord record = check_of(spec);
  ASSERT_NE(record.find("misspecification-prior"), nullptr);
  EXPECT_EQ(record.find("misspecification-prior")->verdict, Verdict::pass);
  EXPECT_TRUE(record.notes.empty());
}

}  // namespace
}  // namespace epsfree
