#include "prob/regression/linear_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/dense_solvers.hpp"
#include "prob/mixtures/joint_mixture.hpp"
#include "prob/regression/mixture_regression.hpp"

namespace epsfree {
namespace {

constexpr double kRidge = 1e-9;
constexpr int kInflations = 3;

}  // namespace

LinearLikelihood::LinearLikelihood(const Eigen::Ref<const Eigen::MatrixXd>& parameters,
                                   const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                                   const Eigen::Ref<const Eigen::VectorXd>& weights)
    : count_(effective_size(weights)) {
  const Index D = parameters.rows(), p = statistics.rows();
  Eigen::MatrixXd design(D + 1, parameters.cols());
  design.row(0).setOnes();
  design.bottomRows(D) = parameters;
  const Eigen::VectorXd w = weights * (count_ / weights.sum());
  const Eigen::MatrixXd weighted = design * w.asDiagonal();
  Eigen::MatrixXd gram = weighted * design.transpose();
  gram.diagonal() += kRidge * gram.diagonal();
  design_inverse_ = Cholesky(gram).solve(Eigen::MatrixXd::Identity(D + 1, D + 1));
  const Eigen::MatrixXd coefficients = statistics * weighted.transpose() * design_inverse_;
  intercept_ = coefficients.col(0);
  slope_ = coefficients.rightCols(D);
  const Eigen::MatrixXd errors = (statistics - coefficients * design) * w.cwiseSqrt().asDiagonal();
  const double d = static_cast<double>(D);
  Eigen::MatrixXd noise = errors * errors.transpose() / std::max(count_ - d - 1, 1.0);
  // An inverse covariance that was estimated is too large on average by this (Hartlap, Simon &
  // Schneider 2007).
  noise *= count_ / std::max(count_ - static_cast<double>(p) - 2, count_ / 4);
  noise.diagonal() += kRidge * noise.diagonal();
  noise.diagonal().array() += 1e-300;
  noise_whitener_ = Cholesky(noise).inverse_of_lower();
}

Gaussian LinearLikelihood::posterior(const Eigen::Ref<const Eigen::VectorXd>& statistics,
                                     const LogQuadratic& log_prior) const {
  const Eigen::MatrixXd A = noise_whitener_ * slope_;
  const Eigen::VectorXd t = noise_whitener_ * (statistics - intercept_);
  const Eigen::MatrixXd information = A.transpose() * A;
  const Eigen::VectorXd projected = A.transpose() * t;
  double inflation = 1;
  Eigen::MatrixXd precision;
  Eigen::VectorXd mean;
  for (int i = 0; i < kInflations; ++i) {
    precision = information / inflation + log_prior.precision;
    mean = solve_symmetric(precision, projected / inflation + log_prior.shift);
    Eigen::VectorXd row(mean.size() + 1);
    row << 1, mean;
    const double misfit = (t - A * mean).squaredNorm();
    inflation = (1 + row.dot(design_inverse_ * row)) *
                std::max(1.0, misfit / largest_usual_distance(statistics.size()));
  }
  return Gaussian::from_precision(mean, 0.5 * (precision + precision.transpose()));
}

Eigen::VectorXd LinearLikelihood::log_probs(const Eigen::Ref<const Eigen::MatrixXd>& parameters,
                                            const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                                            const LogQuadratic& log_prior) const {
  // All with the mean inflation, so that they share one precision.
  const Index D = parameters.rows();
  const double inflation = 1 + static_cast<double>(D + 1) / count_;
  const Eigen::MatrixXd A = noise_whitener_ * slope_;
  const Eigen::MatrixXd precision = A.transpose() * A / inflation + log_prior.precision;
  const Cholesky llt(precision);
  if (!llt.succeeded()) {
    return Eigen::VectorXd::Constant(parameters.cols(), -std::numeric_limits<double>::infinity());
  }
  const Eigen::MatrixXd pull =
      (A.transpose() * (noise_whitener_ * (statistics.colwise() - intercept_)) / inflation)
          .colwise() +
      log_prior.shift;
  const Eigen::MatrixXd U = llt.upper();
  const Eigen::MatrixXd errors = U * (parameters - llt.solve(pull));
  const double constant = U.diagonal().array().log().sum() -
                          0.5 * static_cast<double>(D) * std::log(2 * std::numbers::pi);
  return constant - 0.5 * errors.colwise().squaredNorm().transpose().array();
}

}  // namespace epsfree
