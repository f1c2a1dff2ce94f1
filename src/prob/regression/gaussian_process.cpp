#include "prob/regression/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

// Standard deviation of the linear function's coefficients, in units of the values' own.
constexpr double kLinearScale = 10;
// Relative to the values' variance: keeps repeated points apart.
constexpr double kNugget = 1e-8;
// Standard deviation of the prior of the shape's logarithms. Lengths start at twice the scale of
// the points, since what the linear part leaves is smooth.
constexpr double kShapeStd = 1.5;
constexpr double kTypicalLogLength = 0.7;
constexpr double kTypicalLogAmplitude = -0.7;
constexpr int kMaxEvidenceSteps = 40;
constexpr double kGain = 1e-4;

Eigen::VectorXd pack(const GaussianProcess::Shape& shape) {
  Eigen::VectorXd p(1 + shape.log_lengths.size());
  p << shape.log_amplitude, shape.log_lengths;
  return p;
}

GaussianProcess::Shape unpack(const Eigen::VectorXd& p) { return {p[0], p.tail(p.size() - 1)}; }

Eigen::VectorXd typical(Index size) {
  Eigen::VectorXd p = Eigen::VectorXd::Constant(size, kTypicalLogLength);
  p[0] = kTypicalLogAmplitude;
  return p;
}

}  // namespace

GaussianProcess::GaussianProcess(Eigen::MatrixXd points,
                                 const Eigen::Ref<const Eigen::VectorXd>& values,
                                 const Eigen::Ref<const Eigen::VectorXd>& noise_variances,
                                 Shape shape)
    : points_(std::move(points)), shape_(std::move(shape)) {
  const Index n = points_.cols();
  if (n == 0 || values.size() != n || noise_variances.size() != n) {
    throw Error(ErrorKind::input, "GaussianProcess: points, values and variances do not fit");
  }
  if (shape_.log_lengths.size() == 0) shape_ = unpack(typical(1 + points_.rows()));
  centre_ = values.mean();
  scale_ = std::sqrt((values.array() - centre_).square().mean());
  if (!(scale_ > 0)) scale_ = 1;
  values_ = (values.array() - centre_) / scale_;
  smooth_ = smooth_part(points_);
  Eigen::MatrixXd K = smooth_ + linear_part(points_);
  K.diagonal().array() += noise_variances.array() / (scale_ * scale_) + kNugget;
  const Cholesky cholesky(K);
  if (!K.allFinite() || !cholesky.succeeded()) {
    throw Error(ErrorKind::internal, "GaussianProcess: the covariance is not positive definite");
  }
  factor_ = cholesky.lower();
  weights_ = cholesky.solve(values_);
}

Eigen::MatrixXd GaussianProcess::smooth_part(const Eigen::Ref<const Eigen::MatrixXd>& at) const {
  const Eigen::VectorXd rates = (-shape_.log_lengths).array().exp();
  const Eigen::MatrixXd a = rates.asDiagonal() * points_, b = rates.asDiagonal() * at;
  Eigen::MatrixXd squares = -2 * (a.transpose() * b);
  squares.colwise() += a.colwise().squaredNorm().transpose();
  squares.rowwise() += b.colwise().squaredNorm();
  return (-0.5 * squares.array().max(0.0) + 2 * shape_.log_amplitude).exp();
}

Eigen::MatrixXd GaussianProcess::linear_part(const Eigen::Ref<const Eigen::MatrixXd>& at) const {
  return kLinearScale * kLinearScale * ((points_.transpose() * at).array() + 1);
}

GaussianProcess::Prediction GaussianProcess::predict(
    const Eigen::Ref<const Eigen::MatrixXd>& at) const {
  const Eigen::MatrixXd K = smooth_part(at) + linear_part(at);
  const Eigen::MatrixXd explained = factor_.triangularView<Eigen::Lower>().solve(K);
  const GaussianProcess::Shape& shape = shape_;
  Eigen::MatrixXd covariance(at.cols(), at.cols());
  for (Index i = 0; i < at.cols(); ++i) {
    for (Index j = 0; j < at.cols(); ++j) {
      const double distance = ((at.col(i) - at.col(j)).array() * (-shape.log_lengths).array().exp())
                                  .matrix()
                                  .squaredNorm();
      covariance(i, j) = std::exp(2 * shape.log_amplitude - 0.5 * distance) +
                         kLinearScale * kLinearScale * (1 + at.col(i).dot(at.col(j)));
    }
  }
  covariance -= explained.transpose() * explained;
  covariance.diagonal() = covariance.diagonal().cwiseMax(kNugget);
  return {(K.transpose() * weights_ * scale_).array() + centre_, covariance * scale_ * scale_};
}

Eigen::VectorXd GaussianProcess::means(const Eigen::Ref<const Eigen::MatrixXd>& at) const {
  const Eigen::MatrixXd K = smooth_part(at) + linear_part(at);
  return (K.transpose() * weights_ * scale_).array() + centre_;
}

double GaussianProcess::log_evidence(Eigen::VectorXd* gradient) const {
  const Eigen::VectorXd p = pack(shape_), from_typical = p - typical(p.size());
  const double value = -0.5 * values_.dot(weights_) - factor_.diagonal().array().log().sum() -
                       0.5 * static_cast<double>(num_points()) * std::log(2 * std::numbers::pi) -
                       0.5 * from_typical.squaredNorm() / (kShapeStd * kShapeStd);
  if (gradient == nullptr) return value;
  // 1/2 tr((w w^T - K^-1) dK).
  const Eigen::MatrixXd half = factor_.triangularView<Eigen::Lower>().solve(
      Eigen::MatrixXd::Identity(num_points(), num_points()));
  const Eigen::MatrixXd A =
      (weights_ * weights_.transpose() - half.transpose() * half).cwiseProduct(smooth_);
  gradient->resize(p.size());
  (*gradient)[0] = A.sum();
  for (Index d = 0; d < points_.rows(); ++d) {
    // sum_ij A_ij (u_i - u_j)^2 / l^2.
    const Eigen::VectorXd u = points_.row(d).transpose() * std::exp(-shape_.log_lengths[d]);
    (*gradient)[1 + d] = A.rowwise().sum().dot(u.cwiseAbs2()) - u.dot(A * u);
  }
  *gradient -= from_typical / (kShapeStd * kShapeStd);
  return value;
}

GaussianProcess GaussianProcess::fit(const Eigen::Ref<const Eigen::MatrixXd>& points,
                                     const Eigen::Ref<const Eigen::VectorXd>& values,
                                     const Eigen::Ref<const Eigen::VectorXd>& noise_variances,
                                     const Shape& start) {
  GaussianProcess best(points, values, noise_variances, start);
  Eigen::VectorXd p = pack(best.shape()), gradient;
  double value = best.log_evidence(&gradient);
  Eigen::MatrixXd H = Eigen::MatrixXd::Identity(p.size(), p.size()) /
                      std::max(1.0, gradient.norm());  // inverse of minus the curvature
  for (int iteration = 0; iteration < kMaxEvidenceSteps; ++iteration) {
    check_interruption();
    Eigen::VectorXd step = H * gradient;
    step *= std::min(1.0, 2 / step.cwiseAbs().maxCoeff());
    bool improved = false;
    for (double size = 1; size > 1e-3 && !improved; size /= 3) {
      const Eigen::VectorXd next = p + size * step;
      GaussianProcess trial(points, values, noise_variances, unpack(next));
      Eigen::VectorXd next_gradient;
      const double next_value = trial.log_evidence(&next_gradient);
      if (!(next_value > value + 1e-4 * size * gradient.dot(step))) continue;
      improved = true;
      const Eigen::VectorXd s = next - p, y = gradient - next_gradient;
      const double sy = s.dot(y);
      if (sy > 1e-10 * s.norm() * y.norm()) {
        const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(p.size(), p.size());
        const Eigen::MatrixXd V = I - s * y.transpose() / sy;
        H = V * H * V.transpose() + s * s.transpose() / sy;
      }
      const double gain = next_value - value;
      best = std::move(trial);
      p = next;
      gradient = std::move(next_gradient);
      value = next_value;
      if (gain < kGain) return best;
    }
    if (!improved) break;
  }
  return best;
}

}  // namespace epsfree
