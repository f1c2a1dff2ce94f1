#include "diagnose/calibration/ecdf_bands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

Eigen::VectorXi uniform_ranks(Index count, Index num_samples, Stream& stream) {
  Eigen::VectorXi ranks(count);
  for (int& rank : ranks) {
    rank = static_cast<int>(stream.below(static_cast<std::uint64_t>(num_samples + 1)));
  }
  return ranks;
}

// Two ranks among one sample: none, one or two of them are 0, with probability 1/4, 1/2, 1/4.
TEST(EcdfBands, SmallestCaseByHand) {
  const EcdfBands bands(2, 1);
  ASSERT_EQ(bands.num_points(), 1);
  EXPECT_DOUBLE_EQ(bands.z(0), 0.5);
  EXPECT_NEAR(bands.p_value(Eigen::Vector2i(0, 0)), 0.5, 1e-12);
  EXPECT_NEAR(bands.p_value(Eigen::Vector2i(1, 1)), 0.5, 1e-12);
  EXPECT_NEAR(bands.p_value(Eigen::Vector2i(0, 1)), 1, 1e-12);
}

// Exact by enumeration: all 4^4 outcomes of four ranks among three samples. Mutations seen to fail:
// `<` for `<=` in within(), the step's probability not divided by what is left.
TEST(EcdfBands, PValuesAgreeWithEnumeration) {
  const EcdfBands bands(4, 3);
  std::vector<double> p_values;
  for (int code = 0; code < 256; ++code) {
    p_values.push_back(
        bands.p_value(Eigen::Vector4i(code % 4, code / 4 % 4, code / 16 % 4, code / 64)));
  }
  // P(p-value <= p) = p for every p that occurs.
  for (const double p : p_values) {
    const auto at_most = std::count_if(p_values.begin(), p_values.end(),
                                       [p](double other) { return other <= p + 1e-12; });
    EXPECT_NEAR(static_cast<double>(at_most) / 256, p, 1e-12);
  }
}

// Uniform ranks leave the bands in as many cases as their level says.
TEST(EcdfBands, HoldSimultaneously) {
  constexpr Index kCount = 60, kSamples = 199, kTrials = 1000;
  const EcdfBands bands(kCount, kSamples);
  EXPECT_EQ(bands.num_points(), 99);
  const EcdfBands::Limits limits = bands.limits(0.1);
  Stream stream(1);
  int left = 0, rejected = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Eigen::VectorXi ranks = uniform_ranks(kCount, kSamples, stream);
    const Eigen::VectorXi counts = bands.counts_of(ranks);
    const bool outside =
        (counts.array() < limits.lower.array() || counts.array() > limits.upper.array()).any();
    left += outside;
    rejected += bands.p_value(ranks) <= 0.1;
    EXPECT_EQ(outside, bands.p_value(ranks) <= 0.1);
  }
  EXPECT_EQ(left, rejected);
  // At most the level, and not much less: five standard errors, and the steps of the counts.
  EXPECT_LT(left, 0.1 * kTrials + 5 * std::sqrt(0.09 * kTrials));
  EXPECT_GT(left, 0.07 * kTrials - 5 * std::sqrt(0.09 * kTrials));
}

TEST(EcdfBands, RanksAtBothEndsAreSeen) {
  const EcdfBands bands(200, 999);
  Stream stream(2);
  Eigen::VectorXi ranks = uniform_ranks(200, 999, stream);
  EXPECT_GT(bands.p_value(ranks), 0.01);
  ranks.head(8).setConstant(0);  // 4% in the lowest thousandth
  EXPECT_LT(bands.p_value(ranks), 1e-2);
  ranks.head(60).setConstant(999);
  EXPECT_LT(bands.p_value(ranks), 1e-9);
}

}  // namespace
}  // namespace epsfree
