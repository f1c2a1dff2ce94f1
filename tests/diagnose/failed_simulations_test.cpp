#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "epsfree/diagnose.hpp"
#include "epsfree/models.hpp"
#include "support/contains.hpp"

namespace epsfree {
namespace {

/// theta + noise in two dimensions; `fails` throws, `is_invalid` gives no number.
Problem problem_where(std::function<bool(const Eigen::VectorXd&, Stream&)> fails,
                      std::function<bool(const Eigen::VectorXd&)> is_invalid = nullptr) {
  Problem problem;
  problem.prior = uniform_prior(Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  problem.names = {"mu", "nu"};
  problem.observed = Eigen::Vector2d(0.3, -0.2);
  problem.simulator = function_simulator(
      2, 2, [=](const Eigen::VectorXd& theta, Stream& stream) -> Eigen::VectorXd {
        const Eigen::Vector2d x = theta + Eigen::Vector2d(stream.normal(), stream.normal());
        if (fails(theta, stream)) throw std::runtime_error("crashed");
        if (is_invalid && is_invalid(theta)) return x * std::nan("");
        return x;
      });
  return problem;
}

Diagnosis check_of(const Problem& problem, const MethodOptions& method = AutoOptions{},
                   Index budget = 400) {
  InferOptions options;
  options.method = method;
  options.num_simulations = budget;
  options.seed = 5;
  const InferResult result = infer(problem, options);
  for (const Diagnosis& each : diagnose(result.summary, result.posterior->names())) {
    if (each.name == "failed-simulations") return each;
  }
  ADD_FAILURE() << "there is no such check";
  return {};
}

TEST(FailedSimulations, AThirdThatCrashesFailsWhereverItHappens) {
  const Diagnosis anywhere =
      check_of(problem_where([](const auto&, Stream& stream) { return stream.uniform() < 0.3; }));
  EXPECT_EQ(anywhere.verdict, Verdict::fail);
  EXPECT_NEAR(anywhere.value, 0.3, 0.12);
  EXPECT_CONTAINS(anywhere.meaning, "Their parameters do not differ clearly");
}

TEST(FailedSimulations, SayWhichParameterTellsThemApart) {
  const Diagnosis large =
      check_of(problem_where([](const Eigen::VectorXd& theta, Stream&) { return theta[1] > 1; }),
               RejectionOptions{});
  EXPECT_EQ(large.verdict, Verdict::fail);
  EXPECT_CONTAINS(large.meaning, "at large nu (1.");
  EXPECT_EQ(large.meaning.find(" mu "), std::string::npos) << large.meaning;
  ASSERT_EQ(large.tables.size(), 1u);
  EXPECT_EQ(large.tables[0].labels, (std::vector<std::string>{"mu", "nu"}));
  EXPECT_NEAR(large.tables[0].values(1, 0), 1.5, 0.1);
  const Diagnosis edges = check_of(
      problem_where([](const Eigen::VectorXd& theta, Stream&) { return std::abs(theta[0]) > 1.8; }),
      RejectionOptions{});
  EXPECT_CONTAINS(edges.meaning, "both small and large mu");
}

// The default method's later rounds draw near the answer: that the failures of the first lie
// farther out says nothing about where simulations fail.
TEST(FailedSimulations, AreComparedWithinTheirRound) {
  Summary summary;
  summary.simulations.by_status = {900, 0, 100, 0, 0};
  int calls = 0;
  const Problem problem = problem_where([&calls](const Eigen::VectorXd&, Stream&) {
    return ++calls <= 100 && calls % 2 == 0;  // half of the first hundred
  });
  InferOptions options;
  options.num_simulations = 400;
  ThreadRunner runner(1);
  const InferResult result = infer(problem, options, runner);
  ASSERT_GT(result.summary.rounds.size(), 1u);
  const FaultSummary& faults = result.summary.faults;
  ASSERT_EQ(faults.failed_mean.size(), 2);
  // Within the first round all are drawn from the prior, of standard deviation 4 / sqrt(12).
  EXPECT_NEAR(faults.successful_deviation[0], 4 / std::sqrt(12.0), 0.3);
  EXPECT_NEAR(faults.failed_deviation[0], 4 / std::sqrt(12.0), 0.3);
}

TEST(FailedSimulations, InvalidOnesAreAnswers) {
  const Diagnosis invalid =
      check_of(problem_where([](const auto&, Stream&) { return false; },
                             [](const Eigen::VectorXd& theta) { return theta[0] > 1; }));
  EXPECT_EQ(invalid.verdict, Verdict::pass);
  EXPECT_EQ(invalid.value, 0);
  EXPECT_CONTAINS(invalid.meaning, "None of 400 simulations failed");
}

TEST(FailedSimulations, TheLastRoundCountsForItself) {
  Summary summary;
  EXPECT_FALSE(failed_simulations(summary));
  summary.simulations.by_status = {1990, 0, 10, 0, 0};
  EXPECT_EQ(failed_simulations(summary)->verdict, Verdict::pass);
  summary.rounds.resize(2);
  summary.rounds[0].simulations.by_status = {1960, 0, 0, 0, 0};
  summary.rounds[1].simulations.by_status = {30, 0, 0, 10, 0};
  EXPECT_EQ(failed_simulations(summary)->value, 0.25);
  EXPECT_EQ(failed_simulations(summary)->verdict, Verdict::fail);
  summary.rounds.pop_back();
  summary.simulations.by_status = {95, 0, 2, 2, 1};
  EXPECT_EQ(failed_simulations(summary)->verdict, Verdict::warn);
}

}  // namespace
}  // namespace epsfree
