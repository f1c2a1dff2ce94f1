#include "epsfree/gaussian.hpp"
#include "base/dense_solvers.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"

namespace epsfree {
namespace {

[[noreturn]] void refuse_gaussian(const std::string& message) {
  throw Error(ErrorKind::input, "Gaussian: " + message);
}

void check_sizes(const Eigen::VectorXd& mean, const Eigen::MatrixXd& matrix, const char* name) {
  if (mean.size() == 0) refuse_gaussian("the mean is empty; at least one dimension is needed");
  if (matrix.rows() != mean.size() || matrix.cols() != mean.size()) {
    refuse_gaussian(std::string(name) + " is " + std::to_string(matrix.rows()) + " x " +
                    std::to_string(matrix.cols()) + ", but the mean has " +
                    std::to_string(mean.size()) + " values");
  }
  if (!mean.allFinite()) refuse_gaussian("the mean has a value that is not finite");
  if (!matrix.allFinite()) refuse_gaussian(std::string(name) + " has a value that is not finite");
}

void check_symmetric(const Eigen::MatrixXd& matrix, const char* name) {
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      const double scale = std::sqrt(std::abs(matrix(i, i))) * std::sqrt(std::abs(matrix(j, j)));
      if (!(std::abs(matrix(i, j) - matrix(j, i)) <= 1e-8 * scale)) {
        refuse_gaussian(std::string(name) + " is not symmetric at row " + std::to_string(i + 1) +
                        ", column " + std::to_string(j + 1));
      }
    }
  }
}

/// The lower Cholesky factor of the symmetric part. What is left of a pivot after elimination must
/// be more than rounding error.
Eigen::MatrixXd checked_cholesky(const Eigen::MatrixXd& matrix, const char* name) {
  check_symmetric(matrix, name);
  const Eigen::MatrixXd symmetric = 0.5 * (matrix + matrix.transpose());
  const Cholesky llt(symmetric);
  Eigen::MatrixXd factor = llt.lower();
  const double rounding =
      static_cast<double>(matrix.rows()) * std::numeric_limits<double>::epsilon();
  const bool definite =
      llt.succeeded() && factor.allFinite() &&
      (factor.diagonal().array().square() > rounding * symmetric.diagonal().array()).all();
  if (!definite) refuse_gaussian(std::string(name) + " is not positive definite");
  return factor;
}

}  // namespace

Gaussian Gaussian::from_covariance(Eigen::VectorXd mean, const Eigen::MatrixXd& covariance) {
  check_sizes(mean, covariance, "the covariance");
  // S = R R^T with R upper triangular, by a Cholesky factorisation from the last dimension to the
  // first; then U = R^-1.
  const Eigen::MatrixXd flipped = checked_cholesky(covariance.reverse(), "the covariance");
  const Eigen::MatrixXd R = flipped.reverse();
  return Gaussian(std::move(mean), inverse_of_upper(R));
}

Gaussian Gaussian::from_precision(Eigen::VectorXd mean, const Eigen::MatrixXd& precision) {
  check_sizes(mean, precision, "the precision");
  return Gaussian(std::move(mean), checked_cholesky(precision, "the precision").transpose());
}

Gaussian Gaussian::from_precision_factor(Eigen::VectorXd mean, Eigen::MatrixXd factor) {
  check_sizes(mean, factor, "the precision's factor");
  for (Index j = 0; j < factor.cols(); ++j) {
    if (!(factor(j, j) > 0)) {
      refuse_gaussian("the precision's factor has a diagonal entry that is not positive, in row " +
                      std::to_string(j + 1));
    }
    for (Index i = j + 1; i < factor.rows(); ++i) {
      if (factor(i, j) != 0) refuse_gaussian("the precision's factor is not upper triangular");
    }
  }
  return Gaussian(std::move(mean), std::move(factor));
}

Gaussian Gaussian::standard(Index dim) {
  if (dim < 1) refuse_gaussian("dim = " + std::to_string(dim) + ", must be at least 1");
  return Gaussian(Eigen::VectorXd::Zero(dim), Eigen::MatrixXd::Identity(dim, dim));
}

Eigen::MatrixXd Gaussian::covariance() const {
  const Eigen::MatrixXd R = inverse_of_upper(factor_);
  return R * R.transpose();
}

double Gaussian::log_det_covariance() const { return -2 * factor_.diagonal().array().log().sum(); }

double Gaussian::log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  return log_probs(theta)(0);
}

Eigen::VectorXd Gaussian::log_probs(const Eigen::Ref<const Eigen::MatrixXd>& thetas) const {
  check_rows(thetas.rows(), dim(), "Gaussian: theta");
  const Eigen::MatrixXd whitened =
      factor_.triangularView<Eigen::Upper>() * (thetas.colwise() - mean_);
  const double log_normaliser =
      0.5 * (log_det_covariance() + static_cast<double>(dim()) * std::log(2 * std::numbers::pi));
  return (-0.5 * whitened.colwise().squaredNorm().transpose()).array() - log_normaliser;
}

Eigen::VectorXd Gaussian::sample(Stream& stream) const {
  Eigen::VectorXd theta(dim());
  for (Index i = 0; i < dim(); ++i) theta(i) = stream.normal();
  factor_.triangularView<Eigen::Upper>().solveInPlace(theta);
  return theta + mean_;
}

Eigen::MatrixXd Gaussian::sample(Index count, Stream& stream) const {
  Eigen::MatrixXd thetas(dim(), count);
  for (Index n = 0; n < count; ++n) {
    for (Index i = 0; i < dim(); ++i) thetas(i, n) = stream.normal();
  }
  factor_.triangularView<Eigen::Upper>().solveInPlace(thetas);
  thetas.colwise() += mean_;
  return thetas;
}

Gaussian Gaussian::marginal(std::span<const Index> dims) const {
  if (dims.empty()) refuse_gaussian("a marginal needs at least one dimension");
  const std::vector<Index> kept(dims.begin(), dims.end());
  std::vector<Index> order = other_dimensions(dims, dim());
  const Index num_others = static_cast<Index>(order.size());
  order.insert(order.end(), kept.begin(), kept.end());
  // With the wanted dimensions last, the trailing block of the factor is what is left after the
  // others have been integrated out (the Schur complement).
  const Eigen::MatrixXd R = upper_factor(factor_(Eigen::all, order));
  const Index size = dim() - num_others;
  return Gaussian(mean_(kept), R.bottomRightCorner(size, size));
}

Gaussian Gaussian::conditional(std::span<const Index> dims,
                               const Eigen::Ref<const Eigen::VectorXd>& values) const {
  const std::vector<Index> given(dims.begin(), dims.end());
  const std::vector<Index> rest = other_dimensions(dims, dim());
  check_rows(values.size(), static_cast<Index>(given.size()), "Gaussian: conditional values");
  if (rest.empty()) refuse_gaussian("a conditional needs at least one dimension that is not given");
  std::vector<Index> order = rest;
  order.insert(order.end(), given.begin(), given.end());
  const Eigen::MatrixXd R = upper_factor(factor_(Eigen::all, order));
  const Index size = static_cast<Index>(rest.size());
  const Eigen::MatrixXd R_rest = R.topLeftCorner(size, size);
  const Eigen::VectorXd pull = R.topRightCorner(size, dim() - size) * (values - mean_(given));
  Eigen::VectorXd mean = mean_(rest) - R_rest.triangularView<Eigen::Upper>().solve(pull);
  return Gaussian(std::move(mean), R_rest);
}

Gaussian Gaussian::affine(const Eigen::Ref<const Eigen::MatrixXd>& A,
                          const Eigen::Ref<const Eigen::VectorXd>& b) const {
  if (A.cols() != dim() || A.rows() != b.size() || A.rows() < 1) {
    refuse_gaussian("affine: A is " + std::to_string(A.rows()) + " x " + std::to_string(A.cols()) +
                    " and b has " + std::to_string(b.size()) + " values, for " +
                    std::to_string(dim()) + " dimensions");
  }
  if (!A.allFinite() || !b.allFinite())
    refuse_gaussian("affine: A or b has a value that is not finite");
  const Index rows = A.rows();
  // M = A U^-1 has M M^T = A S A^T. With M = R Q, R upper triangular, the new factor is R^-1.
  const Eigen::MatrixXd M =
      factor_.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(Eigen::MatrixXd(A));
  if (rows > dim())
    refuse_gaussian("affine: A has more rows than columns, so it has not full row rank");
  const Eigen::MatrixXd flipped = upper_factor(M.transpose().rowwise().reverse());
  const Eigen::MatrixXd R = flipped.transpose().reverse();
  const double rounding =
      10.0 * static_cast<double>(dim()) * std::numeric_limits<double>::epsilon();
  for (Index i = 0; i < rows; ++i) {
    if (!(R(i, i) > rounding * M.row(i).norm())) refuse_gaussian("affine: A has not full row rank");
  }
  return Gaussian(A * mean_ + b, inverse_of_upper(R));
}

}  // namespace epsfree
