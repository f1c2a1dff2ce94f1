#include "report/drawing/contour.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace epsfree {
namespace {

using Index = Eigen::Index;

Eigen::MatrixXd normal_density(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  Eigen::MatrixXd values(x.size(), y.size());
  for (Index i = 0; i < x.size(); ++i) {
    for (Index j = 0; j < y.size(); ++j) {
      values(i, j) = std::exp(-0.5 * (x[i] * x[i] + y[j] * y[j]));
    }
  }
  return values;
}

double area(const Eigen::Matrix2Xd& line) {
  double twice = 0;
  for (Index k = 0; k < line.cols(); ++k) {
    const auto a = line.col(k), b = line.col((k + 1) % line.cols());
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return std::abs(twice) / 2;
}

TEST(Contour, OfACircleIsACircle) {
  const Eigen::VectorXd grid = Eigen::VectorXd::LinSpaced(61, -3, 3);
  const auto lines = contour_lines(grid, grid, normal_density(grid, grid), std::exp(-0.5));
  ASSERT_EQ(lines.size(), 1u);
  for (const auto point : lines[0].colwise()) EXPECT_NEAR(point.norm(), 1, 0.002);
  EXPECT_NEAR(area(lines[0]), std::numbers::pi, 0.02);
  // Neighbours on the line are neighbours in the plane.
  for (Index k = 0; k + 1 < lines[0].cols(); ++k) {
    EXPECT_LT((lines[0].col(k + 1) - lines[0].col(k)).norm(), 0.2);
  }
}

TEST(Contour, ClosesAlongTheEdgeOfTheGrid) {
  // A quarter of the circle, which the grid cuts off.
  const Eigen::VectorXd grid = Eigen::VectorXd::LinSpaced(61, 0, 3);
  const auto lines = contour_lines(grid, grid, normal_density(grid, grid), std::exp(-0.5));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NEAR(area(lines[0]), std::numbers::pi / 4, 0.02);
}

TEST(Contour, EachModeHasItsOwnAndAHoleToo) {
  const Eigen::VectorXd grid = Eigen::VectorXd::LinSpaced(81, -4, 4);
  Eigen::MatrixXd two(81, 81), ring(81, 81);
  for (Index i = 0; i < 81; ++i) {
    for (Index j = 0; j < 81; ++j) {
      const double x = grid[i], y = grid[j];
      two(i, j) =
          std::exp(-2 * ((x - 2) * (x - 2) + y * y)) + std::exp(-2 * ((x + 2) * (x + 2) + y * y));
      ring(i, j) = std::exp(-4 * std::pow(std::hypot(x, y) - 2, 2));
    }
  }
  EXPECT_EQ(contour_lines(grid, grid, two, 0.5).size(), 2u);
  EXPECT_EQ(contour_lines(grid, grid, ring, 0.5).size(), 2u);
  EXPECT_TRUE(contour_lines(grid, grid, two, 2).empty());
}

TEST(Contour, SaddlesStayTwoLinesOrOne) {
  // High corners on a diagonal: joined where the centre is high, apart where it is low.
  const Eigen::VectorXd grid = Eigen::VectorXd::LinSpaced(2, 0, 1);
  Eigen::MatrixXd values(2, 2);
  values << 1, 0, 0, 1;
  EXPECT_EQ(contour_lines(grid, grid, values, 0.4).size(), 1u);
  EXPECT_EQ(contour_lines(grid, grid, values, 0.6).size(), 2u);
}

TEST(MassLevels, HoldTheirShareOfANormal) {
  const Eigen::VectorXd grid = Eigen::VectorXd::LinSpaced(401, -6, 6);
  const auto levels = mass_levels(normal_density(grid, grid), {0.5, 0.9});
  // In two dimensions a share s lies above exp(-r^2 / 2) = 1 - s.
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_NEAR(levels[0], 0.5, 0.01);
  EXPECT_NEAR(levels[1], 0.1, 0.01);
}

}  // namespace
}  // namespace epsfree
