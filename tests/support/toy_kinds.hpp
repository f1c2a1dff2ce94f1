// Kinds of priors and posteriors that the library does not know, with no more than a new kind must
// have.
#pragma once

#include <cmath>

#include "epsfree/posterior.hpp"
#include "prob/normal.hpp"

namespace epsfree {

/// Uniform on the triangle below the diagonal of the unit square.
class TrianglePosterior final : public Posterior {
 public:
  TrianglePosterior()
      : Posterior(uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)), {"a", "b"}) {}

  static bool holds(const Eigen::Ref<const Eigen::VectorXd>& theta) {
    return theta.minCoeff() >= 0 && theta.sum() <= 1;
  }

  std::string kind() const override { return "triangle"; }
  Eigen::MatrixXd sample(Index count, Stream& stream) const override {
    Eigen::MatrixXd thetas(2, count);
    for (Index n = 0; n < count; ++n) {
      const double u = stream.uniform(), v = stream.uniform();
      thetas.col(n) << std::min(u, v), 1 - std::max(u, v);
    }
    return thetas;
  }
  bool has_log_prob() const override { return true; }
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override {
    return holds(theta) ? std::log(2.0) : -INFINITY;
  }
  Eigen::VectorXd mean() const override { return Eigen::Vector2d(1.0 / 3, 1.0 / 3); }
  Eigen::MatrixXd covariance() const override {
    Eigen::Matrix2d result;
    result << 2, -1, -1, 2;
    return result / 36;
  }
  double quantile(Index, double probability) const override {
    return 1 - std::sqrt(1 - probability);
  }
};

/// Independent standard logistic parameters. The coordinates are standard normal.
class LogisticPrior final : public Prior {
 public:
  using Vector = Eigen::Ref<const Eigen::VectorXd>;
  static constexpr double kVariance = M_PI * M_PI / 3;

  explicit LogisticPrior(Index dim) : dim_(dim) {}

  Index dim() const override { return dim_; }
  std::string kind() const override { return "logistic"; }
  using Prior::sample;
  Eigen::VectorXd sample(Stream& stream) const override {
    Eigen::VectorXd z(dim_);
    for (double& each : z) each = stream.normal();
    return from_coordinates(z);
  }
  double log_prob(const Vector& theta) const override {
    return contains(theta) ? (-theta.array() - 2 * (-theta.array()).exp().log1p()).sum()
                           : -INFINITY;
  }
  bool contains(const Vector& theta) const override {
    return theta.size() == dim_ && theta.allFinite();
  }
  Eigen::VectorXd mean() const override { return Eigen::VectorXd::Zero(dim_); }
  Eigen::MatrixXd covariance() const override {
    return kVariance * Eigen::MatrixXd::Identity(dim_, dim_);
  }
  Eigen::VectorXd to_coordinates(const Vector& theta) const override {
    return theta.unaryExpr([](double each) { return normal_quantile(1 / (1 + std::exp(-each))); });
  }
  Eigen::VectorXd from_coordinates(const Vector& z) const override {
    return z.unaryExpr([](double each) { return log_normal_cdf(each) - log_normal_cdf(-each); });
  }
  double log_jacobian(const Vector& z) const override {
    double sum = 0;
    for (const double each : z) sum += log_normal_density(each);
    return sum - log_prob(from_coordinates(z));
  }
  bool coordinates_are_identity() const override { return false; }
  Support coordinate_support() const override { return Support::everywhere(dim_); }
  LogQuadratic coordinate_log_density() const override {
    return LogQuadratic::of(Gaussian::standard(dim_));
  }
  Eigen::VectorXd coordinate_mean() const override { return Eigen::VectorXd::Zero(dim_); }
  Eigen::VectorXd coordinate_std() const override { return Eigen::VectorXd::Ones(dim_); }

 private:
  Index dim_;
};

}  // namespace epsfree
