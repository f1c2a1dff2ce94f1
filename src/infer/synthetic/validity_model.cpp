#include "infer/synthetic/validity_model.hpp"

#include <cmath>
#include <vector>

#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"

namespace epsfree {
namespace {

constexpr int kMaxIterations = 50;
// Precision of the coefficients' prior, for parameters in units of their standard deviation.
constexpr double kPrecision = 0.1;
// Features are only followed so far out, beyond which a quadratic is no more than a guess.
constexpr double kFarthest = 4;

/// log(1 / (1 + exp(-a))).
double log_logistic(double a) {
  return a > 0 ? -std::log1p(std::exp(-a)) : a - std::log1p(std::exp(a));
}

}  // namespace

ValidityModel::ValidityModel(const Eigen::Ref<const Eigen::MatrixXd>& z,
                             std::span<const SimStatus> statuses) {
  std::vector<Index> known;
  double num_invalid = 0;
  for (Index i = 0; i < z.cols(); ++i) {
    const SimStatus status = statuses[static_cast<std::size_t>(i)];
    if (status == SimStatus::ok || status == SimStatus::invalid) known.push_back(i);
    num_invalid += status == SimStatus::invalid ? 1 : 0;
  }
  if (num_invalid == 0) return;
  const auto N = static_cast<Index>(known.size());
  const Eigen::MatrixXd used = z(Eigen::all, known);
  centre_ = used.rowwise().mean();
  scale_ =
      ((used.colwise() - centre_).rowwise().squaredNorm() / static_cast<double>(N)).cwiseSqrt();
  scale_ = (scale_.array() > 0).select(scale_, 1.0);

  Eigen::MatrixXd F(features(used.col(0)).size(), N);
  Eigen::VectorXd valid(N);
  for (Index i = 0; i < N; ++i) {
    F.col(i) = features(used.col(i));
    valid[i] =
        statuses[static_cast<std::size_t>(known[static_cast<std::size_t>(i)])] == SimStatus::ok
            ? 1.0
            : 0.0;
  }
  // Newton's method on the penalised log likelihood, which is concave; halved where it overshoots.
  coefficients_ = Eigen::VectorXd::Zero(F.rows());
  const auto objective = [&](const Eigen::VectorXd& w) {
    const Eigen::VectorXd a = F.transpose() * w;
    double sum = -0.5 * kPrecision * w.tail(w.size() - 1).squaredNorm();
    for (Index i = 0; i < N; ++i) sum += log_logistic(valid[i] > 0 ? a[i] : -a[i]);
    return sum;
  };
  Eigen::VectorXd precision = Eigen::VectorXd::Constant(F.rows(), kPrecision);
  precision[0] = 1e-6;  // the share of valid ones is whatever it is
  double best = objective(coefficients_);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    check_interruption();
    const Eigen::ArrayXd p = 1 / (1 + (-(F.transpose() * coefficients_).array()).exp());
    const Eigen::VectorXd gradient =
        F * (valid.array() - p).matrix() - precision.cwiseProduct(coefficients_);
    Eigen::MatrixXd H = F * (p * (1 - p)).matrix().asDiagonal() * F.transpose();
    H.diagonal() += precision;
    const Eigen::VectorXd step = Cholesky(H).solve(gradient);
    double size = 1, value = objective(coefficients_ + step);
    for (; !(value > best) && size > 1e-3; value = objective(coefficients_ + size * step)) {
      size /= 2;
    }
    if (!(value > best)) break;
    coefficients_ += size * step;
    const double gain = value - best;
    best = value;
    if (gain < 1e-9 * static_cast<double>(N)) break;
  }
}

Eigen::VectorXd ValidityModel::features(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  const Eigen::VectorXd u =
      (z - centre_).cwiseQuotient(scale_).cwiseMax(-kFarthest).cwiseMin(kFarthest);
  const Index D = u.size();
  Eigen::VectorXd f(1 + D + D * (D + 1) / 2);
  f[0] = 1;
  f.segment(1, D) = u;
  Index next = 1 + D;
  for (Index i = 0; i < D; ++i) {
    for (Index j = 0; j <= i; ++j) f[next++] = u[i] * u[j];
  }
  return f;
}

double ValidityModel::log_prob(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  return always_valid() ? 0.0 : log_logistic(coefficients_.dot(features(z)));
}

}  // namespace epsfree
