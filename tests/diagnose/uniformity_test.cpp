#include "diagnose/calibration/uniformity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

TEST(Uniformity, TheDistanceIsTheLargestOnEitherSideOfAStep) {
  EXPECT_DOUBLE_EQ(distance_from_uniform({0.5}), 0.5);
  EXPECT_DOUBLE_EQ(distance_from_uniform({0.9, 0.1}), 0.4);
  EXPECT_DOUBLE_EQ(distance_from_uniform({0.6, 0.7}), 0.6);  // before the first step
  EXPECT_DOUBLE_EQ(distance_from_uniform({0.1, 0.2}), 0.8);  // after the last
}

// Critical values of the statistic's exact distribution (Massey 1951, and Miller 1956).
TEST(Uniformity, PValuesAgreeWithPublishedTables) {
  EXPECT_NEAR(kolmogorov_smirnov_p(0.29408, 20), 0.05, 0.001);
  EXPECT_NEAR(kolmogorov_smirnov_p(0.13403, 100), 0.05, 0.0005);
  EXPECT_NEAR(kolmogorov_smirnov_p(0.16081, 100), 0.01, 0.0003);
  EXPECT_EQ(kolmogorov_smirnov_p(0, 100), 1);
  EXPECT_LT(kolmogorov_smirnov_p(0.9, 100), 1e-50);
}

TEST(Uniformity, RanksCountTheSamplesBelow) {
  Eigen::MatrixXd samples(2, 3);
  samples << 1, 2, 3, 10, 20, 30;
  EXPECT_EQ(ranks_of(Eigen::Vector2d(2.5, 5), samples), Eigen::Vector2i(2, 0));
  EXPECT_EQ(ranks_of(Eigen::Vector2d(4, 15), samples), Eigen::Vector2i(3, 1));
}

// Under the null hypothesis a p-value is below 10% in a tenth of all cases. Mutation seen to fail:
// ranks divided by num_samples / 2.
TEST(Uniformity, UniformRanksPassAndOthersDoNot) {
  Stream stream(5);
  int rejected = 0;
  constexpr int kTrials = 400, kSamples = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Eigen::MatrixXi ranks(1, 50);
    for (int& rank : ranks.reshaped()) rank = static_cast<int>(stream.below(kSamples + 1));
    if (test_ranks(ranks, kSamples).overall_p < 0.1) ++rejected;
  }
  EXPECT_NEAR(rejected, 0.1 * kTrials, 5 * std::sqrt(0.09 * kTrials));

  // A posterior that is too narrow: ranks pile up at both ends. The other dimension is fine.
  Eigen::MatrixXi ranks(2, 200);
  for (Index i = 0; i < ranks.cols(); ++i) {
    const double u = std::clamp(0.5 + 2 * (stream.uniform() - 0.5), 0.0, 1.0);
    ranks(0, i) = static_cast<int>(u * kSamples);
    ranks(1, i) = static_cast<int>(stream.below(kSamples + 1));
  }
  const RankTest test = test_ranks(ranks, kSamples);
  EXPECT_LT(test.p_values[0], 1e-6);
  EXPECT_GT(test.p_values[1], 1e-3);
  EXPECT_DOUBLE_EQ(test.overall_p, 2 * test.p_values[0]);
  EXPECT_EQ(test_ranks(Eigen::MatrixXi(2, 0), kSamples).overall_p, 1);
}

}  // namespace
}  // namespace epsfree
