// A mixture of Gaussians with full covariances.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "epsfree/gaussian.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {

/// sum_k alpha_k N(m_k, S_k). Weights are kept as logarithms and always sum to one.
class GaussianMixture {
 public:
  /// Normalises the weights. Throws ErrorKind::input unless there is at least one component, all of
  /// one dimension, with log weights that are not NaN or +inf and not all -inf.
  GaussianMixture(std::vector<Gaussian> components, Eigen::VectorXd log_weights);
  explicit GaussianMixture(Gaussian gaussian);

  Index dim() const { return components_.front().dim(); }
  Index num_components() const { return static_cast<Index>(components_.size()); }
  const Gaussian& component(Index k) const { return components_[static_cast<std::size_t>(k)]; }
  const std::vector<Gaussian>& components() const { return components_; }
  const Eigen::VectorXd& log_weights() const { return log_weights_; }
  Eigen::VectorXd weights() const;

  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const;
  /// One column per point.
  Eigen::VectorXd log_probs(const Eigen::Ref<const Eigen::MatrixXd>& thetas) const;
  /// One column per sample.
  Eigen::MatrixXd sample(Index count, Stream& stream) const;

  Eigen::VectorXd mean() const;
  Eigen::MatrixXd covariance() const;
  /// As of Gaussian.
  GaussianMixture marginal(std::span<const Index> dims) const;
  GaussianMixture conditional(std::span<const Index> dims,
                              const Eigen::Ref<const Eigen::VectorXd>& values) const;
  GaussianMixture affine(const Eigen::Ref<const Eigen::MatrixXd>& A,
                         const Eigen::Ref<const Eigen::VectorXd>& b) const;
  /// Cumulative distribution and quantile of one dimension.
  double cdf(Index dim, double value) const;
  double quantile(Index dim, double probability) const;
  /// The highest point of the density: mode finding from every component's mean (Carreira-Perpinan
  /// 2000), the best of the modes found.
  Eigen::VectorXd map() const;
  /// The one Gaussian with the same mean and covariance: the closest in KL(mixture || Gaussian).
  Gaussian project() const;
  /// Without the components whose weight is below `min_weight`; the heaviest always stays.
  GaussianMixture prune(double min_weight) const;

 private:
  std::vector<Gaussian> components_;
  Eigen::VectorXd log_weights_;
};

}  // namespace epsfree
