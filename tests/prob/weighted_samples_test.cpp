#include "epsfree/weighted_samples.hpp"

#include <limits>

#include "cases.hpp"

namespace epsfree {
namespace {

constexpr double kInfWeightedSamples = std::numeric_limits<double>::infinity();

WeightedSamples three() {
  Eigen::MatrixXd points(1, 3);
  points << 4, 1, 2;
  return WeightedSamples(points, Eigen::Vector3d(std::log(0.5), std::log(0.2), std::log(0.3)));
}

TEST(WeightedSamples, MomentsAndEffectiveSizeByHand) {
  const WeightedSamples s = three();
  EXPECT_NEAR(s.mean()(0), 2.8, 1e-14);
  EXPECT_NEAR(s.covariance()(0, 0), 0.5 * 16 + 0.2 + 0.3 * 4 - 2.8 * 2.8, 1e-14);
  EXPECT_NEAR(s.effective_size(), 1 / (0.25 + 0.04 + 0.09), 1e-12);
  EXPECT_NEAR(WeightedSamples(Eigen::MatrixXd::Zero(2, 50)).effective_size(), 50, 1e-10);
}

TEST(WeightedSamples, LargeLogWeightsDoNotOverflow) {
  const WeightedSamples s(Eigen::MatrixXd::Identity(2, 2), Eigen::Vector2d(5000, 5001));
  EXPECT_NEAR(s.weights()(1), 1 / (1 + std::exp(-1.0)), 1e-12);
}

TEST(WeightedSamples, QuantileIsTheInverseOfTheEmpiricalCdf) {
  const WeightedSamples s = three();  // 1 (0.2), 2 (0.3), 4 (0.5)
  EXPECT_EQ(s.quantile(0, 0), 1);
  EXPECT_EQ(s.quantile(0, 0.19), 1);
  EXPECT_EQ(s.quantile(0, 0.21), 2);
  EXPECT_EQ(s.quantile(0, 0.49), 2);
  EXPECT_EQ(s.quantile(0, 0.51), 4);
  EXPECT_EQ(s.quantile(0, 1), 4);
}

// Mutation seen to fail: no shuffle (the first draws then all come from the first points).
TEST(WeightedSamples, ResamplingKeepsTheProportions) {
  const WeightedSamples s = three();
  Stream stream(81);
  const Eigen::MatrixXd draws = s.resample(1000, stream);
  // Systematic resampling: each count is within one of its expectation.
  EXPECT_NEAR(count_true(draws.array() == 4), 500, 1);
  EXPECT_NEAR(count_true(draws.array() == 1), 200, 1);
  EXPECT_NEAR(count_true(draws.array() == 2), 300, 1);
  const double first_half = count_true(draws.leftCols(500).array() == 4);
  EXPECT_NEAR(first_half, 250, 5 * std::sqrt(500 * 0.25 * 0.5));
}

TEST(WeightedSamples, ZeroWeightsAreNeverDrawn) {
  Eigen::MatrixXd points(1, 4);
  points << 1, 2, 3, 4;
  const WeightedSamples s(points,
                          Eigen::Vector4d(-kInfWeightedSamples, 0, 0, -kInfWeightedSamples));
  Stream stream(82);
  const Eigen::MatrixXd draws = s.resample(333, stream);
  EXPECT_GE(draws.minCoeff(), 2);
  EXPECT_LE(draws.maxCoeff(), 3);
  EXPECT_EQ(s.quantile(0, 0), 2);
  EXPECT_EQ(s.quantile(0, 1), 3);
}

TEST(WeightedSamples, TakesWeightsAsTheyAre) {
  const Eigen::MatrixXd points = Eigen::RowVector3d(1, 2, 3);
  const Eigen::Vector3d normalised(0.1, 0.7, 1 - 0.1 - 0.7);
  EXPECT_EQ(WeightedSamples::from_weights(points, normalised).weights(), normalised);
  const Eigen::VectorXd others =
      WeightedSamples::from_weights(points, Eigen::Vector3d(1e308, 0, 1e308)).weights();
  EXPECT_TRUE(others.isApprox(Eigen::Vector3d(0.5, 0, 0.5), 1e-12)) << others.transpose();
  for (const double bad : {-0.1, std::nan(""), kInfWeightedSamples}) {
    expect_error(ErrorKind::input, "a weight is",
                 [&] { WeightedSamples::from_weights(points, Eigen::Vector3d(0.5, bad, 0.5)); });
  }
}

TEST(WeightedSamples, RefusesBadInput) {
  const Eigen::MatrixXd points = Eigen::MatrixXd::Zero(2, 2);
  const double nan = std::nan("");
  expect_error(ErrorKind::input, "3 log weights",
               [&] { WeightedSamples(points, Eigen::Vector3d::Zero()); });
  expect_error(ErrorKind::input, "zero", [&] {
    WeightedSamples(points, Eigen::Vector2d(-kInfWeightedSamples, -kInfWeightedSamples));
  });
  expect_error(ErrorKind::input, "NaN", [&] { WeightedSamples(points, Eigen::Vector2d(0, nan)); });
  expect_error(ErrorKind::input, "finite",
               [&] { WeightedSamples(Eigen::MatrixXd::Constant(2, 2, nan)); });
  expect_error(ErrorKind::input, "no points", [] { WeightedSamples(Eigen::MatrixXd(2, 0)); });
}

}  // namespace
}  // namespace epsfree
