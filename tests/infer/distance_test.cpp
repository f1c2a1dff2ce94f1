#include "infer/abc/distance.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "epsfree/error.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Eigen::MatrixXd pilot() {
  Eigen::MatrixXd points(2, 5);
  points << 0, 1, 2, 3, 100,  //
      0, 10, 20, 30, 40;
  return points;
}

TEST(Distance, EuclideanAndScaledByHand) {
  const Eigen::Vector2d observed(1, 2), x(4, 6);
  EXPECT_DOUBLE_EQ(Distance(DistanceKind::euclidean, observed)(x), 5);
  // Medians 2 and 20, absolute deviations from them 2, 1, 0, 1, 98 and 20, 10, 0, 10, 20.
  EXPECT_NEAR(Distance(DistanceKind::median_absolute_deviation, observed, pilot())(x),
              std::hypot(3 / 1.0, 4 / 10.0), 1e-12);
  const double first = std::sqrt((0 + 1 + 4 + 9 + 10000) / 5.0 - 21.2 * 21.2);
  EXPECT_NEAR(Distance(DistanceKind::standard_deviation, observed, pilot())(x),
              std::hypot(3 / first, 4 / std::sqrt(200.0)), 1e-12);
}

TEST(Distance, MahalanobisDoesNotDependOnHowStatisticsAreMixed) {
  Stream stream(3);
  Eigen::MatrixXd points(2, 400);
  for (double& value : points.reshaped()) value = stream.normal();
  Eigen::Matrix2d mix;
  mix << 100, 3, -7, 0.5;
  const Eigen::Vector2d observed(0.3, -0.2), x(1, 2);
  const double plain = Distance(DistanceKind::mahalanobis, observed, points)(x);
  const double mixed = Distance(DistanceKind::mahalanobis, mix * observed, mix * points)(mix * x);
  EXPECT_NEAR(plain, mixed, 1e-6 * plain);
  const Eigen::MatrixXd centred = points.colwise() - points.rowwise().mean();
  const Eigen::Matrix2d covariance = centred * centred.transpose() / 400;
  EXPECT_NEAR(plain * plain, (x - observed).dot(covariance.inverse() * (x - observed)), 1e-5);
}

TEST(Distance, OfStatisticsThatDoNotVary) {
  Eigen::MatrixXd points = pilot();
  points.row(1).setConstant(7);
  for (const DistanceKind kind :
       {DistanceKind::standard_deviation, DistanceKind::median_absolute_deviation,
        DistanceKind::mahalanobis}) {
    const Distance distance(kind, Eigen::Vector2d(1, 7), points);
    EXPECT_EQ(distance(Eigen::Vector2d(1, 7)), 0);
    EXPECT_TRUE(std::isfinite(distance(Eigen::Vector2d(2, 8))));
    EXPECT_GT(distance(Eigen::Vector2d(1, 8)), 0);
  }
}

TEST(Distance, OfWhatIsNotFiniteIsInfinite) {
  const Distance own([](const auto& x, const auto& observed) { return (x - observed).sum(); },
                     Eigen::Vector2d(1, 1));
  EXPECT_EQ(own(Eigen::Vector2d(2, 3)), 3);
  Eigen::MatrixXd points(2, 3);
  points << 1, kNaN, 2,  //
      1, 0, 3;
  for (const int num_threads : {1, 3}) {
    const Eigen::VectorXd distances = own.of_columns(points, num_threads);
    EXPECT_EQ(distances[0], 0);
    EXPECT_TRUE(std::isinf(distances[1]));
    EXPECT_EQ(distances[2], 3);
    EXPECT_TRUE(std::isinf(
        Distance(DistanceKind::euclidean, Eigen::Vector2d(1, 1)).of_columns(points, 1)[1]));
  }
}

TEST(Distance, MahalanobisNeedsMoreSimulationsThanStatistics) {
  Stream stream(6);
  Eigen::MatrixXd points(10, 19);
  for (double& value : points.reshaped()) value = stream.normal();
  const Eigen::VectorXd observed = Eigen::VectorXd::Zero(10);
  EXPECT_THROW(Distance(DistanceKind::mahalanobis, observed, points), Error);
  EXPECT_NO_THROW(Distance(DistanceKind::standard_deviation, observed, points));
}

TEST(Distance, SaysWhichStatisticsHardlyCount) {
  Stream stream(5);
  Eigen::MatrixXd points(4, 200);
  for (double& value : points.reshaped()) value = stream.normal();
  points.row(3).setConstant(1e6);  // never varies: alike in any scale
  points.col(7).setConstant(kNaN);
  EXPECT_EQ(unequal_spreads(points), "");
  points.row(1) *= 1000;
  EXPECT_EQ(unequal_spreads(points.leftCols(10)), "");  // too few to say
  const std::string sentence = unequal_spreads(points);
  EXPECT_NE(sentence.find("statistic 2 varies"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("mad"), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find("statistic 4"), std::string::npos) << sentence;
}

TEST(Distance, NeedsAPilotForAScale) {
  EXPECT_THROW(Distance(DistanceKind::standard_deviation, Eigen::Vector2d(1, 1)), Error);
}

}  // namespace
}  // namespace epsfree
