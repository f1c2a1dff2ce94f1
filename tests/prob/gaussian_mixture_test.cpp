#include "epsfree/gaussian_mixture.hpp"

#include <Eigen/LU>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <limits>

#include "cases.hpp"

namespace epsfree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Gaussian normal(double mean, double std) {
  return Gaussian::from_covariance(Eigen::VectorXd::Constant(1, mean),
                                   Eigen::MatrixXd::Constant(1, 1, std * std));
}

TEST(GaussianMixture, WeightsAreNormalisedAndDensityIntegratesToOne) {
  const GaussianMixture m({normal(-1, 0.5), normal(2, 1)}, Eigen::Vector2d(1000, 1001));
  EXPECT_NEAR(m.weights().sum(), 1, 1e-14);
  EXPECT_NEAR(m.weights()(1) / m.weights()(0), std::exp(1.0), 1e-12);
  const GaussianMixture again(m.components(), m.log_weights());
  EXPECT_EQ(again.log_weights(), m.log_weights());  // what is saved and loaded stays the same
  const double total = boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
      [&](double x) { return std::exp(m.log_prob(Eigen::VectorXd::Constant(1, x))); }, -12.0, 12.0,
      10, 1e-10);
  EXPECT_NEAR(total, 1, 1e-9);
}

TEST(GaussianMixture, LogDensityIsFiniteWhereTheDensityUnderflows) {
  const GaussianMixture m({normal(0, 1), normal(1, 1)}, Eigen::Vector2d(0, 0));
  EXPECT_NEAR(m.log_prob(Eigen::VectorXd::Constant(1, -100)),
              normal(0, 1).log_prob(Eigen::VectorXd::Constant(1, -100)) - std::log(2.0), 1e-9);
}

TEST(GaussianMixture, SamplesHaveItsMoments) {
  Stream stream(41);
  const GaussianMixture m = random_mixture(3, 4, stream);
  const Eigen::MatrixXd x = m.sample(40000, stream);
  expect_sample_mean(x, m.mean(), m.covariance());
  std::vector<double> first(x.cols());
  for (Index n = 0; n < x.cols(); ++n) first[static_cast<std::size_t>(n)] = x(0, n);
  expect_distribution(first, [&](double value) { return m.cdf(0, value); });
}

// p(a, b) = p(a) p(b | a) for every subset.
TEST(GaussianMixture, MarginalTimesConditionalIsTheJoint) {
  Stream stream(42);
  const GaussianMixture m = random_mixture(4, 3, stream);
  for (const std::vector<Index>& dims : {std::vector<Index>{2}, {3, 0}, {1, 3, 2}}) {
    const Eigen::VectorXd x = random_vector(4, stream);
    std::vector<Index> rest;
    for (Index i = 0; i < 4; ++i) {
      if (std::find(dims.begin(), dims.end(), i) == dims.end()) rest.push_back(i);
    }
    const double split =
        m.marginal(dims).log_prob(x(dims)) + m.conditional(dims, x(dims)).log_prob(x(rest));
    EXPECT_NEAR(split, m.log_prob(x), 1e-10);
  }
}

TEST(GaussianMixture, AffineChangesVariables) {
  Stream stream(43);
  const GaussianMixture m = random_mixture(3, 2, stream);
  const Eigen::MatrixXd A = random_matrix(3, 3, stream);
  const Eigen::VectorXd b = random_vector(3, stream), x = random_vector(3, stream);
  const double log_det = std::log(std::abs(A.determinant()));
  EXPECT_NEAR(m.affine(A, b).log_prob(A * x + b), m.log_prob(x) - log_det, 1e-10);
}

TEST(GaussianMixture, QuantileInvertsTheCdf) {
  Stream stream(44);
  const GaussianMixture m = random_mixture(2, 5, stream);
  for (const double p : {1e-12, 0.001, 0.3, 0.5, 0.8, 0.999}) {
    EXPECT_NEAR(m.cdf(1, m.quantile(1, p)) / p, 1, 1e-9);
  }
  EXPECT_EQ(m.quantile(0, 0), -kInf);
  EXPECT_EQ(m.quantile(0, 1), kInf);
  // Far apart: the median lies in the empty middle, and the bracket must still hold.
  const GaussianMixture apart({normal(-1e6, 1), normal(1e6, 1)}, Eigen::Vector2d(0, 0.1));
  EXPECT_NEAR(apart.cdf(0, apart.quantile(0, 0.2)), 0.2, 1e-9);
  EXPECT_NEAR(GaussianMixture(normal(3, 2)).quantile(0, 0.975), 3 + 2 * 1.959963984540054, 1e-9);
}

TEST(GaussianMixture, MapIsTheHighestPoint) {
  // Two components so close that they share one mode between their means.
  const GaussianMixture merged({normal(0, 1), normal(1, 1)}, Eigen::Vector2d(0, 0));
  EXPECT_NEAR(merged.map()(0), 0.5, 1e-9);
  // A narrow light component is higher than a broad heavy one.
  const GaussianMixture spike({normal(0, 10), normal(5, 0.01)},
                              Eigen::Vector2d(std::log(0.9), std::log(0.1)));
  EXPECT_NEAR(spike.map()(0), 5, 1e-3);
  Stream stream(45);
  const GaussianMixture m = random_mixture(3, 6, stream);
  const Eigen::VectorXd top = m.map();
  for (int i = 0; i < 2000; ++i) {
    const double radius = std::pow(10.0, -4 * stream.uniform());
    EXPECT_LE(m.log_prob(top + radius * random_vector(3, stream)), m.log_prob(top) + 1e-12);
  }
}

TEST(GaussianMixture, ProjectionKeepsMeanAndCovariance) {
  Stream stream(46);
  const GaussianMixture m = random_mixture(3, 3, stream);
  expect_close(m.project().mean(), m.mean(), 1e-12);
  expect_close(m.project().covariance(), m.covariance(), 1e-10);
}

TEST(GaussianMixture, PruningKeepsTheHeaviest) {
  const GaussianMixture m({normal(0, 1), normal(1, 1), normal(2, 1)},
                          Eigen::Vector3d(std::log(0.2), std::log(0.7), std::log(0.1)));
  const GaussianMixture two = m.prune(0.15);
  ASSERT_EQ(two.num_components(), 2);
  EXPECT_NEAR(two.weights()(0), 0.2 / 0.9, 1e-12);
  const GaussianMixture one = m.prune(2);
  ASSERT_EQ(one.num_components(), 1);
  EXPECT_EQ(one.component(0).mean()(0), 1);
}

TEST(GaussianMixture, ZeroWeightsAreAllowedAndNeverDrawn) {
  const GaussianMixture m({normal(0, 1), normal(1e9, 1)}, Eigen::Vector2d(0, -kInf));
  Stream stream(47);
  EXPECT_LT(m.sample(1000, stream).maxCoeff(), 10);
  EXPECT_NEAR(m.map()(0), 0, 1e-12);
}

TEST(GaussianMixture, RefusesBadWeights) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto make = [](double a, double b) {
    return GaussianMixture({normal(0, 1), normal(1, 1)}, Eigen::Vector2d(a, b));
  };
  expect_error(ErrorKind::input, "NaN", [&] { make(0, nan); });
  expect_error(ErrorKind::input, "NaN", [&] { make(0, kInf); });
  expect_error(ErrorKind::input, "-inf", [&] { make(-kInf, -kInf); });
  expect_error(ErrorKind::input, "no components", [] { GaussianMixture({}, Eigen::VectorXd(0)); });
  expect_error(ErrorKind::input, "3 log weights",
               [] { GaussianMixture({normal(0, 1)}, Eigen::VectorXd::Zero(3)); });
  expect_error(ErrorKind::input, "dimensions", [] {
    GaussianMixture({normal(0, 1), Gaussian::standard(2)}, Eigen::VectorXd::Zero(2));
  });
  expect_error(ErrorKind::input, "probability", [&] { make(0, 0).quantile(0, 1.5); });
  expect_error(ErrorKind::input, "out of range", [&] { make(0, 0).quantile(1, 0.5); });
}

TEST(GaussianMixture, CdfOfNanIsNan) {
  EXPECT_TRUE(std::isnan(GaussianMixture(Gaussian::standard(2)).cdf(1, std::nan(""))));
}

}  // namespace
}  // namespace epsfree
