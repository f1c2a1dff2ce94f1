#include <gtest/gtest.h>

#include "cases.hpp"

namespace epsfree {
namespace {

double scaled_log_prob(const ScaledGaussian& scaled, const Eigen::VectorXd& x) {
  return scaled.log_scale + scaled.gaussian.log_prob(x);
}

double value(const LogQuadratic& q, const Eigen::VectorXd& x) {
  return -0.5 * x.dot(q.precision * x) + q.shift.dot(x);
}

TEST(GaussianAlgebra, ProductIsPointwise) {
  Stream stream(31);
  for (const Index dim : {1, 2, 6}) {
    const Gaussian a = random_gaussian(dim, stream);
    const Gaussian b = random_gaussian(dim, stream);
    const ScaledGaussian both = product(a, b);
    for (int i = 0; i < 5; ++i) {
      const Eigen::VectorXd x = 3 * random_vector(dim, stream);
      EXPECT_NEAR(scaled_log_prob(both, x), a.log_prob(x) + b.log_prob(x), 1e-10);
    }
  }
}

TEST(GaussianAlgebra, ProductOfVeryUnequalWidthsIsSound) {
  const Gaussian broad = Gaussian::from_covariance(Eigen::VectorXd::Constant(2, 1e6),
                                                   1e12 * Eigen::MatrixXd::Identity(2, 2));
  const Gaussian narrow = Gaussian::from_covariance(Eigen::VectorXd::Constant(2, 3),
                                                    1e-12 * Eigen::MatrixXd::Identity(2, 2));
  expect_close(product(broad, narrow).gaussian.mean(), narrow.mean(), 1e-9);
  expect_close(product(narrow, broad).gaussian.mean(), narrow.mean(), 1e-9);
}

TEST(GaussianAlgebra, QuotientUndoesTheProduct) {
  Stream stream(32);
  for (const Index dim : {1, 3, 6}) {
    const Gaussian a = random_gaussian(dim, stream);
    const Gaussian b = random_gaussian(dim, stream);
    const ScaledGaussian both = product(a, b);
    const std::optional<ScaledGaussian> back = quotient(both.gaussian, b);
    ASSERT_TRUE(back);
    expect_close(back->gaussian.mean(), a.mean(), 1e-8);
    expect_close(back->gaussian.covariance(), a.covariance(), 1e-8);
    EXPECT_NEAR(back->log_scale + both.log_scale, 0, 1e-8);
  }
}

TEST(GaussianAlgebra, QuotientIsNothingWhereItIsNotAGaussian) {
  Stream stream(33);
  const Gaussian a = random_gaussian(3, stream);
  EXPECT_FALSE(quotient(a, a));  // precision zero
  const Gaussian wider =
      Gaussian::from_covariance(a.mean(), (1 + 1e-12) * a.covariance());  // rounding only
  EXPECT_FALSE(quotient(a, wider));
  EXPECT_TRUE(quotient(a, Gaussian::from_covariance(a.mean(), 1.001 * a.covariance())));
  Eigen::MatrixXd S = 4 * a.covariance();
  EXPECT_TRUE(quotient(a, Gaussian::from_covariance(a.mean(), S)));
  const Eigen::VectorXd d = Eigen::Vector3d(1e-3, 1, 1);  // too narrow in one direction only
  EXPECT_FALSE(
      quotient(a, Gaussian::from_covariance(a.mean(), d.asDiagonal() * S * d.asDiagonal())));
}

TEST(GaussianAlgebra, ReweightIsPointwise) {
  Stream stream(34);
  const Gaussian a = random_gaussian(4, stream);
  const Gaussian up = random_gaussian(4, stream);
  const Gaussian down = Gaussian::from_covariance(random_vector(4, stream), 50 * a.covariance());
  const LogQuadratic exponential{Eigen::MatrixXd::Zero(4, 4), random_vector(4, stream)};
  const std::vector<std::pair<LogQuadratic, LogQuadratic>> cases = {
      {LogQuadratic::of(up), LogQuadratic::of(down)},
      {LogQuadratic::flat(4), LogQuadratic::of(down)},
      {exponential, LogQuadratic::flat(4)},
      {LogQuadratic::of(up), exponential}};
  for (const auto& [numerator, denominator] : cases) {
    const std::optional<ScaledGaussian> result = reweight(a, numerator, denominator);
    ASSERT_TRUE(result);
    for (int i = 0; i < 5; ++i) {
      const Eigen::VectorXd x = 2 * random_vector(4, stream);
      EXPECT_NEAR(scaled_log_prob(*result, x),
                  a.log_prob(x) + value(numerator, x) - value(denominator, x), 1e-9);
    }
  }
  EXPECT_FALSE(reweight(a, LogQuadratic::flat(4), LogQuadratic::of(a)));
}

TEST(GaussianAlgebra, QuadraticOfAGaussianDiffersByItsNormaliser) {
  Stream stream(35);
  const Gaussian g = random_gaussian(3, stream);
  const Eigen::VectorXd x = random_vector(3, stream), y = random_vector(3, stream);
  EXPECT_NEAR(value(LogQuadratic::of(g), x) - value(LogQuadratic::of(g), y),
              g.log_prob(x) - g.log_prob(y), 1e-10);
}

}  // namespace
}  // namespace epsfree
