// Whether the default method knows how far a larger budget would move its answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "epsfree/infer.hpp"

namespace epsfree {
namespace {

/// The g-and-k distribution: octiles of a thousand draws, of which a fit far from the posterior
/// makes little.
Problem g_and_k() {
  const auto octiles = [](const Eigen::VectorXd& theta, Stream& stream) -> Eigen::VectorXd {
    std::vector<double> x(1000);
    for (double& each : x) {
      const double z = stream.normal();
      each = theta[0] + theta[1] * (1 + 0.8 * std::tanh(0.5 * theta[2] * z)) *
                            std::pow(1 + z * z, theta[3]) * z;
    }
    std::sort(x.begin(), x.end());
    Eigen::VectorXd result(7);
    for (Index i = 0; i < 7; ++i) result[i] = x[static_cast<std::size_t>(125 * (i + 1))];
    return result;
  };
  Problem problem;
  problem.prior = uniform_prior(Eigen::Vector4d::Zero(), Eigen::Vector4d::Constant(10));
  problem.simulator = function_simulator(4, 7, octiles);
  Stream stream(10);
  problem.observed = octiles(Eigen::Vector4d(3, 1, 2, 0.5), stream);
  return problem;
}

Summary run(Index budget, std::uint64_t seed) {
  InferOptions options;
  options.num_simulations = budget;
  options.seed = seed;
  options.predict_change = true;
  ThreadRunner runner(1);
  return infer(g_and_k(), options, runner).summary;
}

// From 100 to 200 simulations the posterior becomes an eighth as wide, from 400 to 800 it moves by
// a fifth of a standard deviation. With the change that the rounds show instead (0.21 and 2.0) both
// would be judged wrongly.
TEST(ChangeForecast, TellsAnUnfinishedSearchFromASettledOne) {
  for (const std::uint64_t seed : {1, 2}) {
    const double early = run(100, seed).expected_change, late = run(400, seed).expected_change;
    EXPECT_GT(early, 0.5) << seed;
    EXPECT_LT(late, 0.4) << seed;
    EXPECT_GT(late, 0.02) << seed;
  }
}

TEST(ChangeForecast, IsTheSameForAnyNumberOfThreads) {
  InferOptions options;
  options.num_simulations = 120;
  options.predict_change = true;
  ThreadRunner one(1), three(3);
  EXPECT_EQ(infer(g_and_k(), options, one).summary.expected_change,
            infer(g_and_k(), options, three).summary.expected_change);
}

TEST(ChangeForecast, IsMadeOnlyOnRequestAndLeavesTheAnswerAlone) {
  InferOptions options;
  options.num_simulations = 120;
  ThreadRunner runner(1);
  const InferResult without = infer(g_and_k(), options, runner);
  options.predict_change = true;
  const InferResult with = infer(g_and_k(), options, runner);
  EXPECT_TRUE(std::isnan(without.summary.expected_change));
  EXPECT_FALSE(std::isnan(with.summary.expected_change));
  Stream one(3), other(3);
  EXPECT_EQ(without.posterior->sample(50, one), with.posterior->sample(50, other));
}

}  // namespace
}  // namespace epsfree
