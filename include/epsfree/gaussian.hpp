// The multivariate Gaussian, held by the Cholesky factor of its precision.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "epsfree/stream.hpp"

namespace epsfree {

using Index = Eigen::Index;

/// N(m, S) with S^-1 = U^T U, U upper triangular with a positive diagonal: the form in which a
/// mixture density network emits it (appendix B), and the one in which products and quotients are
/// sums and differences.
class Gaussian {
 public:
  /// Each throws ErrorKind::input if the matrix is not square, of the mean's size, finite and
  /// positive definite.
  static Gaussian from_covariance(Eigen::VectorXd mean, const Eigen::MatrixXd& covariance);
  static Gaussian from_precision(Eigen::VectorXd mean, const Eigen::MatrixXd& precision);
  static Gaussian from_precision_factor(Eigen::VectorXd mean, Eigen::MatrixXd factor);
  static Gaussian standard(Index dim);

  Index dim() const { return mean_.size(); }
  const Eigen::VectorXd& mean() const { return mean_; }
  /// U of S^-1 = U^T U.
  const Eigen::MatrixXd& precision_factor() const { return factor_; }
  Eigen::MatrixXd precision() const { return factor_.transpose() * factor_; }
  Eigen::MatrixXd covariance() const;
  /// log det S.
  double log_det_covariance() const;

  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const;
  /// One column per point.
  Eigen::VectorXd log_probs(const Eigen::Ref<const Eigen::MatrixXd>& thetas) const;
  Eigen::VectorXd sample(Stream& stream) const;
  /// One column per sample.
  Eigen::MatrixXd sample(Index count, Stream& stream) const;

  /// The distribution of theta[dims[0]], theta[dims[1]], ... in that order.
  Gaussian marginal(std::span<const Index> dims) const;
  /// The distribution of the other dimensions, in their own order, given theta[dims[i]] =
  /// values[i].
  Gaussian conditional(std::span<const Index> dims,
                       const Eigen::Ref<const Eigen::VectorXd>& values) const;
  /// The distribution of A theta + b. A must have full row rank.
  Gaussian affine(const Eigen::Ref<const Eigen::MatrixXd>& A,
                  const Eigen::Ref<const Eigen::VectorXd>& b) const;

 private:
  Gaussian(Eigen::VectorXd mean, Eigen::MatrixXd factor)
      : mean_(std::move(mean)), factor_(std::move(factor)) {}
  Eigen::VectorXd mean_;
  Eigen::MatrixXd factor_;
};

/// A Gaussian times a positive constant, `exp(log_scale) * N(theta | gaussian)`.
struct ScaledGaussian {
  Gaussian gaussian;
  double log_scale;
};

/// The pointwise product a(theta) b(theta).
ScaledGaussian product(const Gaussian& a, const Gaussian& b);
/// The pointwise quotient a(theta) / b(theta), or nothing where it is not a Gaussian because a is
/// not narrower than b in every direction (appendix C).
std::optional<ScaledGaussian> quotient(const Gaussian& a, const Gaussian& b);

/// An unnormalised log density `-1/2 z^T precision z + shift^T z`: a Gaussian, a flat density
/// (precision 0, shift 0), an exponential (precision 0), or any of them by dimension.
struct LogQuadratic {
  Eigen::MatrixXd precision;
  Eigen::VectorXd shift;

  static LogQuadratic flat(Index dim);
  /// Without the normalising constant, which a quadratic of this form cannot hold.
  static LogQuadratic of(const Gaussian& gaussian);
};

/// a(theta) * exp(numerator(theta) - denominator(theta)), or nothing where the precision of the
/// result is not positive definite, or so nearly singular that it is only rounding error.
std::optional<ScaledGaussian> reweight(const Gaussian& a, const LogQuadratic& numerator,
                                       const LogQuadratic& denominator);

}  // namespace epsfree
