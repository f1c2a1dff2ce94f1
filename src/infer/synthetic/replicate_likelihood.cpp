#include "infer/synthetic/replicate_likelihood.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/dense_solvers.hpp"
#include "epsfree/gaussian.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

// In squared units of typical distances.
constexpr double kExact = 1e-12, kVarianceOfExact = 1e-6;

/// How much of the correlations is sampling error: the sum of their estimated variances over that
/// of their squares.
double shrinkage(const Eigen::MatrixXd& standardised, const Eigen::MatrixXd& correlations) {
  const double n = static_cast<double>(standardised.cols());
  double variances = 0, squares = 0;
  for (Index i = 0; i < correlations.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const Eigen::ArrayXd products =
          standardised.row(i).transpose().array() * standardised.row(j).transpose().array();
      variances += (products - products.mean()).square().sum() * n / std::pow(n - 1, 3);
      squares += correlations(i, j) * correlations(i, j);
    }
  }
  return squares > 0 ? std::min(1.0, variances / squares) : 1.0;
}

/// log c(k, v) of Ghurye & Olkin without the powers of pi, which cancel.
double log_constant(double k, double v) {
  double sum = -0.5 * k * v * std::numbers::ln2;
  for (double i = 1; i <= k; ++i) sum -= boost::math::lgamma(0.5 * (v - i + 1));
  return sum;
}

}  // namespace

double replicate_variance(double variance) {
  return variance > kExact ? variance : kVarianceOfExact;
}

ReplicateLikelihood replicate_likelihood(const Eigen::Ref<const Eigen::MatrixXd>& replicates) {
  const Index d = replicates.rows(), count = replicates.cols();
  if (count < 2) return {-kInfinity, -kInfinity};
  const double n = static_cast<double>(count), dim = static_cast<double>(d);
  const double log_two_pi = std::log(2 * std::numbers::pi);
  const Eigen::VectorXd mean = replicates.rowwise().mean();
  const Eigen::MatrixXd centred = replicates.colwise() - mean;
  Eigen::MatrixXd S = centred * centred.transpose() / (n - 1);
  for (double& variance : S.diagonal()) variance = replicate_variance(variance);

  const Eigen::VectorXd std = S.diagonal().cwiseSqrt();
  const Eigen::VectorXd scaled_mean = mean.cwiseQuotient(std);
  Eigen::MatrixXd R = std.cwiseInverse().asDiagonal() * S * std.cwiseInverse().asDiagonal();
  const double log_scales = std.array().log().sum();

  ReplicateLikelihood result{-kInfinity, -kInfinity};
  const Cholesky plain(R);
  const double lambda = d > 1 ? shrinkage(std.cwiseInverse().asDiagonal() * centred, R) : 0.0;
  Eigen::MatrixXd shrunk = (1 - lambda) * R;
  shrunk.diagonal().setOnes();
  const Cholesky cholesky(shrunk);
  if (cholesky.succeeded()) {
    const double distance = cholesky.solve_lower(scaled_mean).squaredNorm();
    const double half_log_det = cholesky.log_diagonal_sum() + log_scales;
    result.plug_in = -0.5 * (dim * log_two_pi + distance) - half_log_det;
  }
  if (n <= dim + 3 || !plain.succeeded()) {
    result.unbiased = result.plug_in;
    return result;
  }
  // |M|^(-(n-d-2)/2) |M - x x^T / (1 - 1/n)|^((n-d-3)/2) with M = (n - 1) S, x the distance of the
  // observation from the mean, by the matrix determinant lemma.
  const double u = plain.solve_lower(scaled_mean).squaredNorm() / ((n - 1) * (1 - 1 / n));
  if (!(u < 1)) return result;
  const double half_log_det = plain.log_diagonal_sum() + log_scales + 0.5 * dim * std::log(n - 1);
  result.unbiased = -0.5 * dim * log_two_pi + log_constant(dim, n - 2) - log_constant(dim, n - 1) -
                    0.5 * dim * std::log(1 - 1 / n) - half_log_det +
                    0.5 * (n - dim - 3) * std::log1p(-u);
  return result;
}

}  // namespace epsfree
