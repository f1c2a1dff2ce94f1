// Random but reproducible objects for the tests.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "epsfree/error.hpp"
#include "epsfree/gaussian_mixture.hpp"

namespace epsfree {

inline Eigen::VectorXd random_vector(Index size, Stream& stream) {
  Eigen::VectorXd result(size);
  for (double& value : result) value = stream.normal();
  return result;
}

inline Eigen::MatrixXd random_matrix(Index rows, Index cols, Stream& stream) {
  Eigen::MatrixXd result(rows, cols);
  for (Index j = 0; j < cols; ++j) result.col(j) = random_vector(rows, stream);
  return result;
}

inline Eigen::MatrixXd random_covariance(Index dim, Stream& stream) {
  const Eigen::MatrixXd B = random_matrix(dim, dim, stream);
  return B * B.transpose() + 0.3 * Eigen::MatrixXd::Identity(dim, dim);
}

inline Gaussian random_gaussian(Index dim, Stream& stream) {
  return Gaussian::from_covariance(random_vector(dim, stream), random_covariance(dim, stream));
}

inline GaussianMixture random_mixture(Index dim, Index num_components, Stream& stream) {
  std::vector<Gaussian> components;
  for (Index k = 0; k < num_components; ++k) components.push_back(random_gaussian(dim, stream));
  return GaussianMixture(std::move(components), 0.5 * random_vector(num_components, stream));
}

inline void expect_close(const Eigen::MatrixXd& actual, const Eigen::MatrixXd& expected,
                         double tolerance) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), tolerance) << "actual:\n"
                                                                  << actual << "\nexpected:\n"
                                                                  << expected;
}

/// How many entries of a comparison hold.
template <class Mask>
double count_true(const Mask& mask) {
  return static_cast<double>(mask.count());
}

/// Every coordinate's mean within five standard errors.
inline void expect_sample_mean(const Eigen::MatrixXd& samples, const Eigen::VectorXd& mean,
                               const Eigen::MatrixXd& covariance) {
  const Eigen::VectorXd observed = samples.rowwise().mean();
  for (Index i = 0; i < mean.size(); ++i) {
    const double error = std::sqrt(covariance(i, i) / static_cast<double>(samples.cols()));
    EXPECT_NEAR(observed(i), mean(i), 5 * error) << "dimension " << i;
  }
}

/// Kolmogorov-Smirnov: the largest distance between the empirical and the exact cdf. Its square
/// root of n multiple exceeds 2.9 once in ten million times.
template <class Cdf>
void expect_distribution(std::vector<double> draws, Cdf cdf) {
  std::sort(draws.begin(), draws.end());
  const double n = static_cast<double>(draws.size());
  double distance = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double exact = cdf(draws[i]);
    distance = std::max(
        {distance, exact - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - exact});
  }
  EXPECT_LT(distance * std::sqrt(n), 2.9);
}

template <class Action>
void expect_error(ErrorKind kind, const std::string& part, Action action) {
  try {
    action();
    FAIL() << "nothing was thrown; expected a message with \"" << part << "\"";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace epsfree
