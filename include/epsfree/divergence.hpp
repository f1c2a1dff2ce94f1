// Kullback-Leibler divergences, the cross-entropy, and the EM fit of a mixture.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "epsfree/gaussian_mixture.hpp"
#include "epsfree/posterior.hpp"
#include "epsfree/truncated_mixture.hpp"
#include "epsfree/weighted_samples.hpp"

namespace epsfree {

/// KL(p || q) in closed form.
double kl_divergence(const Gaussian& p, const Gaussian& q);
/// KL(p || q): closed form for single components, else Monte Carlo with its standard error.
Estimate kl_divergence(const GaussianMixture& p, const GaussianMixture& q, Index num_samples,
                       Stream& stream);

/// KL(p || q) by Monte Carlo over samples of p, with its standard error. Both need a density.
Estimate kl_divergence(const Posterior& p, const Posterior& q, Index num_samples, Stream& stream);
/// The same from samples of p, one per column, and their log densities under p.
Estimate kl_divergence(const Eigen::Ref<const Eigen::MatrixXd>& samples,
                       const Eigen::Ref<const Eigen::VectorXd>& log_densities, const Posterior& q);
/// The mean of -log q over samples of the true posterior, one per column, with its standard error.
/// Samples have no density of their own, so this is KL(truth || q) up to a constant.
Estimate cross_entropy(const Eigen::Ref<const Eigen::MatrixXd>& samples, const Posterior& q);

struct EmOptions {
  int num_components = 1;
  int max_iterations = 500;
  /// Stop when the mean log likelihood gains less than this.
  double tolerance = 1e-8;
  /// Starts from k-means++ (Arthur & Vassilvitskii 2007); the best of them is returned.
  int num_restarts = 5;
  /// Added to every covariance's diagonal, as a fraction of the data's variance in that dimension.
  double regularisation = 1e-6;
  void validate() const;
};

struct EmResult {
  GaussianMixture mixture;
  double mean_log_likelihood;
  int num_iterations;
  bool converged;
};

/// Maximum likelihood fit by expectation maximisation (Dempster et al. 1977).
EmResult fit_mixture(const WeightedSamples& samples, const EmOptions& options, Stream& stream);

/// A density for a posterior that has none: a mixture fitted in the prior's coordinates and
/// normalised on the support. It is fitted to the weighted samples that the posterior is, else to
/// 5,000 samples of it. One component has the samples' mean and covariance; of several there are at
/// most as many as leave twenty effective samples for each.
std::shared_ptr<const MixturePosterior> fit_density(const Posterior& posterior,
                                                    const EmOptions& options, Stream& stream);

}  // namespace epsfree
