// The default method with as many statistics as simulations, or more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/dense_solvers.hpp"
#include "epsfree/infer.hpp"
#include "infer/local/statistics_reduction.hpp"
#include "support/auto_inference.hpp"

namespace epsfree {
namespace {

/// x = A^T theta + noise for three parameters, uniform on [-2, 2].
struct ManyStatistics {
  Eigen::MatrixXd A;
  Eigen::VectorXd truth;
  Problem problem;

  ManyStatistics(Index num_statistics, std::uint64_t seed) {
    Stream stream(seed, {.purpose = Purpose::observation});
    A.resize(3, num_statistics);
    for (double& value : A.reshaped()) value = stream.normal();
    truth.resize(3);
    for (double& value : truth) value = 4 * stream.uniform() - 2;
    problem.prior =
        uniform_prior(Eigen::VectorXd::Constant(3, -2), Eigen::VectorXd::Constant(3, 2));
    problem.simulator = function_simulator(
        3, num_statistics,
        [A = A](const Eigen::VectorXd& theta, Stream& random) -> Eigen::VectorXd {
          Eigen::VectorXd x = A.transpose() * theta;
          for (double& value : x) value += random.normal();
          return x;
        });
    problem.observed = A.transpose() * truth;
    for (double& value : problem.observed) value += stream.normal();
  }

  /// The exact standard deviations, where the prior's bounds do not matter.
  Eigen::VectorXd exact_std() const {
    return inverse_of_square(A * A.transpose()).diagonal().cwiseSqrt();
  }
};

/// The largest distance of the truth from the mean, in standard deviations of the answer.
double worst_distance(const ManyStatistics& many, const InferResult& result) {
  const Eigen::VectorXd std = result.posterior->covariance().diagonal().cwiseSqrt();
  return ((result.posterior->mean() - many.truth).cwiseAbs().array() / std.array()).maxCoeff();
}

// Without a reduction the truth lay 14 standard deviations off (median), 110 at worst.
TEST(ManyStatistics, AnswersAreNotTooSure) {
  for (const Index S : {30, 100, 300}) {
    for (const Index N : {S, 2 * S}) {
      for (const std::uint64_t seed : {1, 2}) {
        const ManyStatistics many(S, seed);
        const InferResult result = infer(many.problem, with_budget(std::max<Index>(N, 50), seed));
        EXPECT_LT(worst_distance(many, result), 4)
            << S << " statistics, " << N << " simulations, seed " << seed;
      }
    }
  }
}

TEST(ManyStatistics, AnswersAreNotTooWideFromThreeTimesAsManySimulationsOn) {
  for (const Index S : {30, 100, 400}) {
    const ManyStatistics many(S, 3);
    const InferResult result = infer(many.problem, with_budget(3 * S, 3));
    const Eigen::VectorXd std = result.posterior->covariance().diagonal().cwiseSqrt();
    EXPECT_LT((std.array() / many.exact_std().array()).maxCoeff(), 3) << S << " statistics";
    EXPECT_LT(worst_distance(many, result), 4) << S << " statistics";
  }
}

/// Twenty statistics, the first of which tells the parameter; the last never varies.
SimulationPool pool_of(Index count) {
  SimulationPool pool(
      uniform_prior(Eigen::VectorXd::Constant(1, -2), Eigen::VectorXd::Constant(1, 2)));
  SimulatedPairs pairs;
  pairs.coordinates.resize(1, count);
  pairs.statistics.resize(20, count);
  Stream stream(1, {.purpose = Purpose::observation});
  for (Index i = 0; i < count; ++i) {
    pairs.coordinates(0, i) = 4 * stream.uniform() - 2;
    for (Index j = 0; j < 20; ++j) pairs.statistics(j, i) = j == 19 ? 7 : stream.normal();
    pairs.statistics(0, i) = pairs.coordinates(0, i) + 0.1 * stream.normal();
  }
  pool.add(Proposal{}, pairs);
  return pool;
}

// The fitted predictions of as many simulations as statistics would be nearly exact: these are not.
TEST(StatisticsReduction, PredictsWithoutTheSimulationItself) {
  const SimulationPool pool = pool_of(24);
  const StatisticsReduction reduction(pool, Eigen::VectorXd::Constant(20, 0.5));
  const Eigen::MatrixXd predictions = reduction.of_pool(pool);
  // One by one, with the others only. The penalty may then be another, hence not bit for bit.
  double sum = 0, fitted = 0;
  for (Index i = 0; i < pool.size(); ++i) {
    std::vector<Index> others;
    for (Index j = 0; j < pool.size(); ++j) {
      if (j != i) others.push_back(j);
    }
    const StatisticsReduction without(pool.part(others), pool.statistics().col(i));
    const double truth = pool.coordinates()(0, i);
    sum += std::pow(without.of_observed()[0] - truth, 2);
    fitted += std::pow(predictions(0, i) - truth, 2);
  }
  EXPECT_NEAR(fitted / sum, 1, 0.5);
  EXPECT_TRUE(predictions.allFinite());
}

TEST(StatisticsReduction, PredictsTheMeanWhereNothingVaries) {
  const SimulationPool pool = pool_of(24).with_statistics(Eigen::MatrixXd::Constant(20, 24, 7));
  const StatisticsReduction reduction(pool, Eigen::VectorXd::Constant(20, 7));
  EXPECT_DOUBLE_EQ(reduction.of_observed()[0], pool.coordinates().mean());
  EXPECT_TRUE((reduction.of_pool(pool).array() == reduction.of_observed()[0]).all());
}

TEST(StatisticsReduction, IsOnlyMadeWhereItIsNeeded) {
  EXPECT_FALSE(StatisticsReduction::is_needed(9, 60, true));  // Lotka-Volterra's first round
  EXPECT_FALSE(StatisticsReduction::is_needed(100, 300, true));
  EXPECT_TRUE(StatisticsReduction::is_needed(100, 299, true));
  EXPECT_TRUE(StatisticsReduction::is_needed(1000, 100000, true));
  // Simulations that are all from the prior.
  EXPECT_FALSE(StatisticsReduction::is_needed(9, 60, false));
  EXPECT_TRUE(StatisticsReduction::is_needed(100, 1499, false));
  EXPECT_FALSE(StatisticsReduction::is_needed(100, 1500, false));
}

}  // namespace
}  // namespace epsfree
