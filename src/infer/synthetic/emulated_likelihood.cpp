#include "infer/synthetic/emulated_likelihood.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/dense_solvers.hpp"
#include "infer/synthetic/replicate_likelihood.hpp"

namespace epsfree {
namespace {

constexpr Index kFewestReplicates = 3;
constexpr std::size_t kNumDraws = 41;
// Pseudo-observations of no correlation.
constexpr double kPriorDegrees = 5;

void append(Eigen::MatrixXd& all, const Eigen::VectorXd& column) {
  all.conservativeResize(column.size(), all.cols() + 1);
  all.rightCols(1) = column;
}

/// A draw of two values with this mean and covariance.
Eigen::Vector2d draw_pair(const GaussianProcess::Prediction& p, Stream& stream) {
  const double a = std::sqrt(p.covariance(0, 0)), b = p.covariance(0, 1) / a;
  const double c = std::sqrt(std::max(0.0, p.covariance(1, 1) - b * b));
  const double first = stream.normal(), second = stream.normal();
  return {p.mean[0] + a * first, p.mean[1] + b * first + c * second};
}

}  // namespace

EmulatedLikelihood::EmulatedLikelihood(StatisticsMap statistics, const Gaussian& frame)
    : statistics_(std::move(statistics)),
      centre_(frame.mean()),
      whitener_(frame.precision_factor()),
      points_(frame.dim(), 0),
      means_(statistics_.dim(), 0),
      log_variances_(statistics_.dim(), 0),
      products_(Eigen::MatrixXd::Zero(statistics_.dim(), statistics_.dim())) {}

Eigen::MatrixXd EmulatedLikelihood::to_frame(const Eigen::Ref<const Eigen::MatrixXd>& z) const {
  return whitener_ * (z.colwise() - centre_);
}

bool EmulatedLikelihood::add(const Eigen::Ref<const Eigen::VectorXd>& z,
                             const Eigen::Ref<const Eigen::MatrixXd>& replicates) {
  if (replicates.cols() < kFewestReplicates) return false;
  const Eigen::MatrixXd t = statistics_.apply(replicates);
  const double n = static_cast<double>(t.cols()), freedom = n - 1;
  const Eigen::VectorXd mean = t.rowwise().mean();
  const Eigen::MatrixXd centred = t.colwise() - mean;
  const Eigen::VectorXd variances =
      (centred.rowwise().squaredNorm() / freedom).unaryExpr(&replicate_variance);
  append(points_, to_frame(z));
  append(means_, mean);
  // The mean of the logarithm of a chi-squared variable is not that of its mean.
  const double bias = boost::math::digamma(freedom / 2) - std::log(freedom / 2);
  append(log_variances_, variances.array().log() - bias);
  counts_.push_back(n);
  const Eigen::MatrixXd scaled = variances.cwiseSqrt().cwiseInverse().asDiagonal() * centred;
  products_ += scaled * scaled.transpose();
  return true;
}

void EmulatedLikelihood::learn(bool new_shapes) {
  const Index S = statistics_.dim(), n = num_points();
  const Eigen::VectorXd counts = Eigen::Map<const Eigen::VectorXd>(counts_.data(), n);
  Eigen::VectorXd log_variance_noise(n);
  for (Index i = 0; i < n; ++i) {
    log_variance_noise[i] = boost::math::trigamma((counts[i] - 1) / 2);
  }
  std::vector<GaussianProcess> means, variances;
  const auto emulate = [&](const Eigen::VectorXd& values, const Eigen::VectorXd& noise,
                           const std::vector<GaussianProcess>& before, Index j) {
    const auto k = static_cast<std::size_t>(j);
    const GaussianProcess::Shape start =
        before.empty() ? GaussianProcess::Shape() : before[k].shape();
    return new_shapes ? GaussianProcess::fit(points_, values, noise, start)
                      : GaussianProcess(points_, values, noise, start);
  };
  for (Index j = 0; j < S; ++j) {
    variances.push_back(
        emulate(log_variances_.row(j).transpose(), log_variance_noise, variance_emulators_, j));
    // The mean's error comes from the smoothed variance: that of few replicates is itself noise.
    const Eigen::VectorXd noise = variances.back().means(points_).array().exp() / counts.array();
    means.push_back(emulate(means_.row(j).transpose(), noise, mean_emulators_, j));
  }
  mean_emulators_ = std::move(means);
  variance_emulators_ = std::move(variances);

  Eigen::MatrixXd sums = products_;
  sums.diagonal().array() += kPriorDegrees;
  const Eigen::VectorXd rates = sums.diagonal().cwiseSqrt().cwiseInverse();
  correlations_ = rates.asDiagonal() * sums * rates.asDiagonal();
}

double EmulatedLikelihood::log_density(const Eigen::VectorXd& mean,
                                       const Eigen::VectorXd& log_variances,
                                       const Eigen::VectorXd& extra_variances) const {
  const Eigen::VectorXd std = (0.5 * log_variances).array().exp();
  Eigen::MatrixXd covariance = std.asDiagonal() * correlations_ * std.asDiagonal();
  covariance.diagonal() += extra_variances;
  const Cholesky cholesky(covariance);
  if (!cholesky.succeeded()) return -std::numeric_limits<double>::infinity();
  return -0.5 * (cholesky.solve_lower(mean).squaredNorm() +
                 static_cast<double>(mean.size()) * std::log(2 * std::numbers::pi)) -
         cholesky.log_diagonal_sum();
}

double EmulatedLikelihood::operator()(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  const Eigen::MatrixXd u = to_frame(z);
  const Index S = statistics_.dim();
  Eigen::VectorXd mean(S), log_variances(S), extra(S);
  for (Index j = 0; j < S; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const auto of_mean = mean_emulators_[k].predict(u);
    mean[j] = of_mean.mean[0];
    extra[j] = of_mean.covariance(0, 0);
    log_variances[j] = variance_emulators_[k].means(u)[0];
  }
  return log_density(mean, log_variances, extra);
}

double EmulatedLikelihood::uncertainty(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  const Eigen::MatrixXd u = to_frame(z);
  double sum = 0;
  for (std::size_t k = 0; k < mean_emulators_.size(); ++k) {
    const auto of_variance = variance_emulators_[k].predict(u);
    sum += mean_emulators_[k].predict(u).covariance(0, 0) / std::exp(of_variance.mean[0]) +
           0.5 * of_variance.covariance(0, 0);
  }
  return sum;
}

double EmulatedLikelihood::decision_error(const Eigen::Ref<const Eigen::VectorXd>& z,
                                          const Eigen::Ref<const Eigen::VectorXd>& proposed,
                                          double log_ratio, Stream& stream) const {
  Eigen::MatrixXd both(z.size(), 2);
  both << z, proposed;
  both = to_frame(both);
  std::vector<GaussianProcess::Prediction> means, variances;
  for (std::size_t k = 0; k < mean_emulators_.size(); ++k) {
    means.push_back(mean_emulators_[k].predict(both));
    variances.push_back(variance_emulators_[k].predict(both));
  }
  const Index S = statistics_.dim();
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(S);
  std::array<double, kNumDraws> alphas;
  for (double& alpha : alphas) {
    Eigen::MatrixXd mean(S, 2), log_variances(S, 2);
    for (Index j = 0; j < S; ++j) {
      mean.row(j) = draw_pair(means[static_cast<std::size_t>(j)], stream).transpose();
      log_variances.row(j) = draw_pair(variances[static_cast<std::size_t>(j)], stream).transpose();
    }
    const double ratio = log_ratio + log_density(mean.col(1), log_variances.col(1), none) -
                         log_density(mean.col(0), log_variances.col(0), none);
    alpha = ratio < 0 ? std::exp(ratio) : 1.0;  // one for NaN too
  }
  std::sort(alphas.begin(), alphas.end());
  const double median = alphas[kNumDraws / 2];
  double error = 0;
  for (const double alpha : alphas) error += std::abs(alpha - median) / double{kNumDraws};
  return error;
}

}  // namespace epsfree
