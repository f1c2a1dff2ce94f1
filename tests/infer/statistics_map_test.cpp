#include "infer/statistics_map.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

Eigen::MatrixXd normals(Index rows, Index cols, std::uint64_t seed) {
  Stream stream(seed);
  Eigen::MatrixXd result(rows, cols);
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) result(i, j) = stream.normal();
  }
  return result;
}

// Distances to 10: 1, 2, 3, 4, 100 with weights 1, 1, 1, 1, 5 and 0 (itself): the median is 100.
// Mutations seen to fail: weights ignored, the distance to the mean instead of the observation.
TEST(StatisticsMap, UnitIsTheWeightedMedianDistanceToTheObservation) {
  Eigen::MatrixXd x(1, 6);
  x << 9, 12, 7, 14, 110, 10;
  Eigen::VectorXd weights(6), observed = Eigen::VectorXd::Constant(1, 10);
  weights << 1, 1, 1, 1, 5, 3;
  const Eigen::MatrixXd mapped = StatisticsMap(x, weights, observed, false).apply(x);
  EXPECT_DOUBLE_EQ(mapped(0, 4), 1);
  EXPECT_DOUBLE_EQ(mapped(0, 0), -0.01);
  weights[4] = 0.1;
  EXPECT_DOUBLE_EQ(StatisticsMap(x, weights, observed, false).apply(x)(0, 2), -1);
}

TEST(StatisticsMap, TheObservationIsZero) {
  const Eigen::MatrixXd x = normals(3, 50, 1);
  const Eigen::VectorXd weights = Eigen::VectorXd::Ones(50), observed = Eigen::Vector3d(1, -8, 1e6);
  for (const bool squashed : {false, true}) {
    const StatisticsMap map(x, weights, observed, squashed);
    EXPECT_EQ(map.apply(observed).cwiseAbs().maxCoeff(), 0);
  }
}

// One-to-one, linear near the observation, and logarithmic far away.
TEST(StatisticsMap, SquashingKeepsTheOrder) {
  const Eigen::MatrixXd x = normals(1, 50, 2);
  const Eigen::VectorXd weights = Eigen::VectorXd::Ones(50), observed = Eigen::VectorXd::Zero(1);
  const StatisticsMap plain(x, weights, observed, false), squashed(x, weights, observed, true);
  Eigen::MatrixXd points(1, 8);
  points << -1e200, -1e6, -1, -1e-3, 1e-3, 1, 1e6, 1e200;
  const Eigen::MatrixXd a = plain.apply(points), b = squashed.apply(points);
  for (Index i = 1; i < points.cols(); ++i) EXPECT_LT(b(0, i - 1), b(0, i));
  EXPECT_NEAR(b(0, 4) / a(0, 4), 1, 1e-6);
  EXPECT_LT(b(0, 7), 3000);
  // Even what is not squashed has a finite square.
  EXPECT_TRUE(std::isfinite(a(0, 7) * a(0, 7)));
}

// Units, offsets and signs of statistics mean nothing.
TEST(StatisticsMap, ForgetsTheUnitsOfStatistics) {
  const Eigen::MatrixXd x = normals(2, 40, 3);
  const Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(40, 0.1, 1);
  const Eigen::Vector2d observed(0.3, -0.2), scale(1e-9, -4e7), offset(0, 12);
  const Eigen::MatrixXd y = (scale.asDiagonal() * x).colwise() + offset;
  const Eigen::VectorXd other = scale.asDiagonal() * observed + offset;
  for (const bool squashed : {false, true}) {
    const Eigen::MatrixXd a = StatisticsMap(x, weights, observed, squashed).apply(x);
    const Eigen::MatrixXd b = StatisticsMap(y, weights, other, squashed).apply(y);
    EXPECT_LT((a.row(0) - b.row(0)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((a.row(1) + b.row(1)).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(StatisticsMap, LeavesConstantsOut) {
  Eigen::MatrixXd x = normals(4, 30, 4);
  x.row(0).setConstant(3);
  x.row(2).setConstant(5);
  const Eigen::Vector4d observed(3, 0, 6, 0);
  const StatisticsMap map(x, Eigen::VectorXd::Ones(30), observed, true);
  EXPECT_EQ(map.dim(), 2);
  EXPECT_EQ(map.apply(x).rows(), 2);
  EXPECT_TRUE(map.apply(x).allFinite());
  const std::vector<std::string> sentences = never_reached(x, observed);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_EQ(sentences[0],
            "statistic 3 is 5 in every simulation, but 6 in the observation; it was left out");
}

// Counts that nearly always equal the observation still have a unit.
TEST(StatisticsMap, MostlyEqualToTheObservationIsFine) {
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(1, 100);
  x(0, 7) = 1;
  const StatisticsMap map(x, Eigen::VectorXd::Ones(100), Eigen::VectorXd::Zero(1), false);
  EXPECT_EQ(map.apply(x)(0, 7), 1);
  EXPECT_EQ(map.apply(x).sum(), 1);
}

}  // namespace
}  // namespace epsfree
