#include "epsfree/support.hpp"

#include <limits>
#include <utility>

#include "cases.hpp"
#include "prob/priors/inside.hpp"

namespace epsfree {
namespace {

constexpr double kInfSupport = std::numeric_limits<double>::infinity();

TEST(Support, BoxIncludesItsBounds) {
  const Support box = Support::box(Eigen::Vector2d(0, -kInfSupport), Eigen::Vector2d(1, 2));
  EXPECT_TRUE(box.is_box());
  EXPECT_FALSE(box.is_everywhere());
  EXPECT_TRUE(box.contains(Eigen::Vector2d(0, 2)));
  EXPECT_TRUE(box.contains(Eigen::Vector2d(1, -1e300)));
  EXPECT_FALSE(box.contains(Eigen::Vector2d(1.0000001, 0)));
  EXPECT_FALSE(box.contains(Eigen::Vector2d(0.5, -kInfSupport)));
  EXPECT_FALSE(box.contains(Eigen::Vector2d(0.5, std::nan(""))));
  EXPECT_FALSE(box.contains(Eigen::Vector3d(0.5, 0, 0)));
}

TEST(Support, EverywhereStaysEverywhereUnderAMap) {
  Eigen::MatrixXd A(2, 2);
  A << 1, 1, 0, 1;
  EXPECT_TRUE(Support::everywhere(2).image(A, Eigen::Vector2d(1, 2)).is_everywhere());
  EXPECT_TRUE(Support::everywhere(2).contains(Eigen::Vector2d(1e300, -1e300)));
}

TEST(Support, ImageContainsExactlyTheImages) {
  Stream stream(51);
  const Support box =
      Support::box(Eigen::Vector3d(-1, 0, -kInfSupport), Eigen::Vector3d(1, 2, 0.5));
  const Eigen::MatrixXd A = random_matrix(3, 3, stream), B = random_matrix(3, 3, stream);
  const Eigen::VectorXd b = random_vector(3, stream), c = random_vector(3, stream);
  const Support image = box.image(A, b);
  const Support twice = image.image(B, c);
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Eigen::VectorXd z = random_vector(3, stream);
    const bool in = box.contains(z);
    inside += in ? 1 : 0;
    EXPECT_EQ(image.contains(A * z + b), in);
    EXPECT_EQ(twice.contains(B * (A * z + b) + c), in);
  }
  EXPECT_GT(inside, 100);
}

TEST(Support, ScaledAxesStayABox) {
  const Support box = Support::box(Eigen::Vector2d(0, 1), Eigen::Vector2d(1, kInfSupport));
  const Eigen::MatrixXd A = Eigen::Vector2d(-2, 3).asDiagonal();
  const Support image = box.image(A, Eigen::Vector2d(10, 0));
  ASSERT_TRUE(image.is_box());
  expect_close(image.lower(), Eigen::Vector2d(8, 3), 1e-14);
  EXPECT_NEAR(image.upper()(0), 10, 1e-14);
  EXPECT_EQ(image.upper()(1), kInfSupport);
}

TEST(Support, RoundingAtTheEdgeIsRepaired) {
  Stream stream(52);
  const Eigen::MatrixXd A = random_matrix(4, 4, stream);
  const Eigen::VectorXd b = 100 * random_vector(4, stream);
  const Support image =
      Support::box(Eigen::VectorXd::Zero(4), Eigen::VectorXd::Ones(4)).image(A, b);
  for (int corner = 0; corner < 16; ++corner) {
    Eigen::VectorXd u(4);
    for (int i = 0; i < 4; ++i) u(i) = (corner >> i) & 1;
    const Eigen::VectorXd z = A * u + b;
    const Eigen::VectorXd repaired = bring_inside(image, z);
    EXPECT_TRUE(image.contains(repaired));
    expect_close(repaired, z, 1e-9);
  }
}

// Mutation seen to fail: the rank test without balancing, or for a diagonal matrix.
TEST(Support, DimensionsMayHaveUnitsOfTheirOwn) {
  const Support box = Support::box(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1));
  const Eigen::MatrixXd D = Eigen::Vector2d(1e-10, 1e7).asDiagonal();
  const Support scaled = box.image(D, Eigen::Vector2d::Zero());
  ASSERT_TRUE(scaled.is_box());
  EXPECT_NEAR(scaled.upper()(0), 1e-10, 1e-24);
  EXPECT_NEAR(scaled.upper()(1), 1e7, 1e-7);
  // Rotated before and scaled after, or the other way round: still the image of the box.
  Eigen::MatrixXd R(2, 2);
  R << 0.6, -0.8, 0.8, 0.6;
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(2, 2);
  const Eigen::MatrixXd both = D * D;
  for (const auto& [left, right] : {std::pair(both, I), std::pair(I, both), std::pair(D, D)}) {
    const Eigen::MatrixXd A = left * R * right;
    const Eigen::MatrixXd inverse = checked_inverse(A, 2, "A");
    expect_close(right * inverse * left, R.transpose(), 1e-12);
  }
  EXPECT_TRUE(box.image(D * D * R, Eigen::Vector2d::Zero())
                  .contains(D * D * R * Eigen::Vector2d(0.5, 0.5)));
  Eigen::MatrixXd singular(2, 2);
  singular << 1, 2, 2, 4;
  expect_error(ErrorKind::input, "not invertible",
               [&] { checked_inverse(D * singular * D, 2, "A"); });
  expect_error(ErrorKind::input, "not invertible", [&] {
    checked_inverse(Eigen::Vector2d(0, 1).asDiagonal().toDenseMatrix(), 2, "A");
  });
}

TEST(Support, RefusesBadBounds) {
  const auto box = [](double low, double high) {
    return Support::box(Eigen::VectorXd::Constant(1, low), Eigen::VectorXd::Constant(1, high));
  };
  expect_error(ErrorKind::input, "less than", [&] { box(1, 1); });
  expect_error(ErrorKind::input, "less than", [&] { box(0, std::nan("")); });
  expect_error(ErrorKind::input, "at least 1", [] { Support::everywhere(0); });
  expect_error(ErrorKind::input, "invertible",
               [&] { box(0, 1).image(Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Zero(1)); });
}

}  // namespace
}  // namespace epsfree
