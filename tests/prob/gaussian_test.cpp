#include "epsfree/gaussian.hpp"

#include <Eigen/LU>
#include <limits>
#include <numbers>

#include "cases.hpp"

namespace epsfree {
namespace {

// Mutation seen to fail: U^T in place of U in log_prob's whitening.
TEST(Gaussian, DensityMatchesTheTextbookFormula) {
  Stream stream(21);
  for (const Index dim : {1, 2, 5}) {
    const Eigen::VectorXd mean = random_vector(dim, stream);
    const Eigen::MatrixXd S = random_covariance(dim, stream);
    const Eigen::VectorXd x = random_vector(dim, stream);
    const double expected = -0.5 * (x - mean).dot(S.inverse() * (x - mean)) -
                            0.5 * std::log((2 * std::numbers::pi * S).determinant());
    EXPECT_NEAR(Gaussian::from_covariance(mean, S).log_prob(x), expected, 1e-11);
    EXPECT_NEAR(Gaussian::from_precision(mean, S.inverse()).log_prob(x), expected, 1e-10);
  }
}

TEST(Gaussian, AllFormsAgree) {
  Stream stream(22);
  const Gaussian g = random_gaussian(4, stream);
  expect_close(g.precision() * g.covariance(), Eigen::MatrixXd::Identity(4, 4), 1e-12);
  EXPECT_TRUE(g.precision_factor().isUpperTriangular(0.0));
  EXPECT_GT(g.precision_factor().diagonal().minCoeff(), 0);
  EXPECT_NEAR(g.log_det_covariance(), std::log(g.covariance().determinant()), 1e-12);
  const Gaussian again = Gaussian::from_precision_factor(g.mean(), g.precision_factor());
  expect_close(again.covariance(), g.covariance(), 0);
}

// Mutation seen to fail: U^T solved in place of U (the covariance is then (U U^T)^-1).
TEST(Gaussian, SamplesHaveItsMoments) {
  Stream stream(23);
  const Gaussian g = random_gaussian(3, stream);
  const Index n = 40000;
  const Eigen::MatrixXd x = g.sample(n, stream);
  const Eigen::MatrixXd S = g.covariance();
  expect_sample_mean(x, g.mean(), S);
  const Eigen::MatrixXd centred = x.colwise() - g.mean();
  const Eigen::MatrixXd observed = centred * centred.transpose() / static_cast<double>(n);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) {
      const double variance = S(i, i) * S(j, j) + S(i, j) * S(i, j);
      EXPECT_NEAR(observed(i, j), S(i, j), 5 * std::sqrt(variance / static_cast<double>(n)));
    }
  }
}

TEST(Gaussian, MarginalsAndConditionalsOfEverySubsetAndOrder) {
  Stream stream(24);
  const Gaussian g = random_gaussian(5, stream);
  const Eigen::MatrixXd S = g.covariance();
  const std::vector<std::vector<Index>> subsets = {{0},       {4},          {2, 0},
                                                   {1, 3, 4}, {4, 2, 1, 0}, {3, 1, 4, 0, 2}};
  for (const std::vector<Index>& dims : subsets) {
    const Gaussian marginal = g.marginal(dims);
    expect_close(marginal.mean(), g.mean()(dims), 0);
    expect_close(marginal.covariance(), S(dims, dims), 1e-11);
    if (dims.size() == 5) continue;
    std::vector<Index> rest;
    for (Index i = 0; i < 5; ++i) {
      if (std::find(dims.begin(), dims.end(), i) == dims.end()) rest.push_back(i);
    }
    const Eigen::VectorXd values = random_vector(static_cast<Index>(dims.size()), stream);
    const Eigen::MatrixXd gain = S(rest, dims) * S(dims, dims).inverse();
    const Gaussian conditional = g.conditional(dims, values);
    expect_close(conditional.mean(), g.mean()(rest) + gain * (values - g.mean()(dims)), 1e-10);
    expect_close(conditional.covariance(), S(rest, rest) - gain * S(dims, rest), 1e-10);
  }
}

TEST(Gaussian, AffineMapsOfAnyRowRank) {
  Stream stream(25);
  const Gaussian g = random_gaussian(4, stream);
  for (const Index rows : {1, 2, 4}) {
    const Eigen::MatrixXd A = random_matrix(rows, 4, stream);
    const Eigen::VectorXd b = random_vector(rows, stream);
    const Gaussian image = g.affine(A, b);
    expect_close(image.mean(), A * g.mean() + b, 1e-12);
    expect_close(image.covariance(), A * g.covariance() * A.transpose(), 1e-10);
  }
}

// Condition number 1e16 by scale alone must not be refused: units differ.
TEST(Gaussian, BadlyScaledDimensionsAreFine) {
  const Eigen::VectorXd stds = Eigen::Vector3d(1e-8, 1, 1e8);
  Eigen::MatrixXd correlation(3, 3);
  correlation << 1, 0.5, 0.2, 0.5, 1, -0.3, 0.2, -0.3, 1;
  const Eigen::MatrixXd S = stds.asDiagonal() * correlation * stds.asDiagonal();
  const Gaussian g = Gaussian::from_covariance(Eigen::VectorXd::Zero(3), S);
  const Eigen::MatrixXd ratio = g.covariance().cwiseQuotient(S);
  expect_close(ratio, Eigen::MatrixXd::Ones(3, 3), 1e-12);
}

TEST(Gaussian, RefusesWhatIsNotAGaussian) {
  const Eigen::VectorXd mean = Eigen::VectorXd::Zero(2);
  Eigen::MatrixXd indefinite(2, 2);
  indefinite << 1, 2, 2, 1;
  Eigen::MatrixXd singular(2, 2);
  singular << 1, 1, 1, 1;
  Eigen::MatrixXd skewed(2, 2);
  skewed << 1, 0.5, 0, 1;
  Eigen::MatrixXd nan = Eigen::MatrixXd::Identity(2, 2);
  nan(0, 0) = std::numeric_limits<double>::quiet_NaN();
  const auto from = [&](const Eigen::MatrixXd& S) { return Gaussian::from_covariance(mean, S); };
  expect_error(ErrorKind::input, "positive definite", [&] { from(indefinite); });
  expect_error(ErrorKind::input, "positive definite", [&] { from(singular); });
  expect_error(ErrorKind::input, "positive definite", [&] { from(-singular); });
  expect_error(ErrorKind::input, "symmetric", [&] { from(skewed); });
  expect_error(ErrorKind::input, "finite", [&] { from(nan); });
  expect_error(ErrorKind::input, "3 x 3", [&] { from(Eigen::MatrixXd::Identity(3, 3)); });
  expect_error(ErrorKind::input, "positive definite",
               [&] { Gaussian::from_precision(mean, indefinite); });
  expect_error(ErrorKind::input, "triangular",
               [&] { Gaussian::from_precision_factor(mean, skewed.transpose()); });
  const Gaussian g = Gaussian::standard(2);
  const std::vector<Index> twice = {0, 0}, outside = {2}, all = {0, 1};
  expect_error(ErrorKind::input, "twice", [&] { g.marginal(twice); });
  expect_error(ErrorKind::input, "out of range", [&] { g.marginal(outside); });
  expect_error(ErrorKind::input, "not given", [&] { g.conditional(all, mean); });
  expect_error(ErrorKind::input, "rank", [&] { g.affine(singular, mean); });
  expect_error(ErrorKind::input, "dimensions", [&] { g.log_prob(Eigen::VectorXd::Zero(3)); });
}

}  // namespace
}  // namespace epsfree
