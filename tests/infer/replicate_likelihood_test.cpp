#include "infer/synthetic/replicate_likelihood.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/gaussian.hpp"

namespace epsfree {
namespace {

Gaussian correlated(double distance) {
  Eigen::Matrix2d S;
  S << 0.5, 0.3, 0.3, 0.4;
  return Gaussian::from_covariance(distance * Eigen::Vector2d(0.6, -0.2), S);
}

// The mean over many sets of replicates is the density, within five of its own standard errors; for
// the plug-in estimate it is not.
TEST(ReplicateLikelihood, UnbiasedEstimateHasTheDensityAsItsMean) {
  Stream stream(4);
  constexpr int kSets = 20000;
  const Gaussian gaussian = correlated(1);
  const double exact = std::exp(gaussian.log_prob(Eigen::Vector2d::Zero()));
  for (const Index n : {7, 15}) {
    double sum = 0, squares = 0, plug_in = 0;
    for (int i = 0; i < kSets; ++i) {
      const ReplicateLikelihood estimate = replicate_likelihood(gaussian.sample(n, stream));
      const double value = std::exp(estimate.unbiased);
      sum += value / kSets;
      squares += value * value / kSets;
      plug_in += std::exp(estimate.plug_in) / kSets;
    }
    const double error = std::sqrt((squares - sum * sum) / kSets);
    EXPECT_NEAR(sum, exact, 5 * error) << n;
    EXPECT_GT(std::abs(plug_in - exact), 5 * error) << n;
  }
}

TEST(ReplicateLikelihood, BothComeToTheDensityWithManyReplicates) {
  Stream stream(5);
  const Gaussian gaussian = correlated(2);
  const ReplicateLikelihood estimate = replicate_likelihood(gaussian.sample(100000, stream));
  const double exact = gaussian.log_prob(Eigen::Vector2d::Zero());
  EXPECT_NEAR(estimate.plug_in, exact, 0.05);
  EXPECT_NEAR(estimate.unbiased, exact, 0.05);
}

// Fewer replicates than statistics: the covariance alone would be singular.
TEST(ReplicateLikelihood, ShrinksWhereReplicatesAreFew) {
  Stream stream(6);
  const ReplicateLikelihood estimate =
      replicate_likelihood(Gaussian::standard(10).sample(5, stream));
  EXPECT_TRUE(std::isfinite(estimate.plug_in));
  EXPECT_EQ(estimate.unbiased, estimate.plug_in);
}

TEST(ReplicateLikelihood, FarAwayAndDegenerateReplicates) {
  Stream stream(7);
  const ReplicateLikelihood far = replicate_likelihood(correlated(100).sample(20, stream));
  EXPECT_TRUE(std::isfinite(far.plug_in));
  EXPECT_TRUE(std::isinf(far.unbiased));
  EXPECT_TRUE(std::isfinite(replicate_likelihood(Eigen::MatrixXd::Constant(3, 20, 0.1)).plug_in));
  EXPECT_TRUE(std::isinf(replicate_likelihood(Eigen::MatrixXd::Zero(2, 1)).plug_in));
}

}  // namespace
}  // namespace epsfree
