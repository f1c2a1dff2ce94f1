// Products and quotients of Gaussians (appendix C).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/dense_solvers.hpp"
#include "epsfree/error.hpp"
#include "epsfree/gaussian.hpp"
#include "prob/dimensions.hpp"

namespace epsfree {
namespace {

// A quotient whose precision in some direction is below this fraction of the numerator's is the
// difference of two nearly equal numbers and means nothing.
constexpr double kSmallestPrecisionRatio = 1e-10;

/// a(theta) exp(-1/2 y^T E y + g^T y + c), where y = U (theta - m) whitens a.
std::optional<ScaledGaussian> reweight_whitened(const Gaussian& a, const Eigen::MatrixXd& E,
                                                const Eigen::VectorXd& g, double c) {
  const Index dim = a.dim();
  if (!E.allFinite() || !g.allFinite() || !std::isfinite(c)) return std::nullopt;
  const Eigen::MatrixXd precision = 0.5 * (E + E.transpose()) + Eigen::MatrixXd::Identity(dim, dim);
  const SymmetricEigen eigen = symmetric_eigenvalues(precision);
  if (!eigen.succeeded) return std::nullopt;
  const double largest = eigen.values(dim - 1);
  const double rounding = static_cast<double>(dim) * std::numeric_limits<double>::epsilon();
  const double smallest_allowed = std::max(kSmallestPrecisionRatio, rounding * largest);
  if (!(eigen.values(0) >= smallest_allowed)) return std::nullopt;
  const Cholesky llt(precision);
  if (!llt.succeeded()) return std::nullopt;

  const Eigen::MatrixXd V = llt.upper();  // V^T V = I + E
  const Eigen::VectorXd y = llt.solve(g);
  const auto U = a.precision_factor().triangularView<Eigen::Upper>();
  Eigen::MatrixXd factor = (V * a.precision_factor()).triangularView<Eigen::Upper>();
  Eigen::VectorXd mean = a.mean() + U.solve(y);
  const bool representable = mean.allFinite() && factor.allFinite() &&
                             factor.diagonal().minCoeff() > std::numeric_limits<double>::min();
  if (!representable) return std::nullopt;
  const double log_scale = c + 0.5 * g.dot(y) - V.diagonal().array().log().sum();
  return ScaledGaussian{Gaussian::from_precision_factor(std::move(mean), std::move(factor)),
                        log_scale};
}

double log_det_factor(const Gaussian& gaussian) { return -0.5 * gaussian.log_det_covariance(); }

}  // namespace

ScaledGaussian product(const Gaussian& a, const Gaussian& b) {
  check_rows(b.dim(), a.dim(), "product: the second Gaussian");
  const Index dim = a.dim();
  // |U_a (theta - m_a)|^2 + |U_b (theta - m_b)|^2 as one least-squares problem: always well posed,
  // and its residual is the scale. Centred at m_a, so that a far-off origin costs no digits.
  Eigen::MatrixXd stacked(2 * dim, dim + 1);
  stacked.leftCols(dim) << a.precision_factor(), b.precision_factor();
  stacked.col(dim) << Eigen::VectorXd::Zero(dim), b.precision_factor() * (b.mean() - a.mean());
  const Eigen::MatrixXd R = upper_factor(stacked);
  const Eigen::MatrixXd factor = R.topLeftCorner(dim, dim);
  const Eigen::VectorXd shift = factor.triangularView<Eigen::Upper>().solve(R.col(dim).head(dim));
  const double residual = R(dim, dim);
  const double log_scale =
      log_det_factor(a) + log_det_factor(b) - factor.diagonal().array().log().sum() -
      0.5 * static_cast<double>(dim) * std::log(2 * std::numbers::pi) - 0.5 * residual * residual;
  return {Gaussian::from_precision_factor(a.mean() + shift, factor), log_scale};
}

std::optional<ScaledGaussian> quotient(const Gaussian& a, const Gaussian& b) {
  check_rows(b.dim(), a.dim(), "quotient: the second Gaussian");
  // With theta = m_a + U_a^-1 y: U_b (theta - m_b) = d + M y.
  const Eigen::MatrixXd M =
      a.precision_factor().triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(
          b.precision_factor());
  const Eigen::VectorXd d = b.precision_factor() * (a.mean() - b.mean());
  std::optional<ScaledGaussian> result =
      reweight_whitened(a, -(M.transpose() * M), M.transpose() * d, 0.5 * d.squaredNorm());
  if (result) {
    result->log_scale +=
        0.5 * static_cast<double>(a.dim()) * std::log(2 * std::numbers::pi) - log_det_factor(b);
  }
  return result;
}

LogQuadratic LogQuadratic::flat(Index dim) {
  return {Eigen::MatrixXd::Zero(dim, dim), Eigen::VectorXd::Zero(dim)};
}

LogQuadratic LogQuadratic::of(const Gaussian& gaussian) {
  const auto U = gaussian.precision_factor().triangularView<Eigen::Upper>();
  const Eigen::VectorXd whitened_mean = U * gaussian.mean();
  return {gaussian.precision(), U.transpose() * whitened_mean};
}

std::optional<ScaledGaussian> reweight(const Gaussian& a, const LogQuadratic& numerator,
                                       const LogQuadratic& denominator) {
  check_rows(numerator.shift.size(), a.dim(), "reweight: the numerator");
  check_rows(denominator.shift.size(), a.dim(), "reweight: the denominator");
  const Eigen::MatrixXd D = numerator.precision - denominator.precision;
  const Eigen::VectorXd s = numerator.shift - denominator.shift;
  const Eigen::VectorXd& m = a.mean();
  const auto U = a.precision_factor().triangularView<Eigen::Upper>();
  // The difference at theta = m + U^-1 y, by powers of y.
  const Eigen::VectorXd Dm = D * m;
  const Eigen::MatrixXd half = U.solve<Eigen::OnTheRight>(D);
  const Eigen::MatrixXd E = U.transpose().solve(half);
  const Eigen::VectorXd g = U.transpose().solve(s - Dm);
  return reweight_whitened(a, E, g, m.dot(s) - 0.5 * m.dot(Dm));
}

}  // namespace epsfree
