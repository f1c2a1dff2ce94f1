// A Gaussian mixture restricted to a support and normalised there.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "epsfree/gaussian_mixture.hpp"
#include "epsfree/support.hpp"
#include "epsfree/weighted_samples.hpp"

namespace epsfree {

/// A number known up to a numerical error: zero error where the value is exact.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};

/// p(z) proportional to mixture(z) on the support, zero elsewhere. The mass of each component on
/// the support is exact in one dimension, for diagonal covariances and where nothing is cut off,
/// and otherwise estimated by Genz's (1992) randomised quasi-Monte Carlo rule with a fixed seed, so
/// it is the same for the same mixture.
///
/// What takes long, the masses and the points, is computed when it is first asked for and kept;
/// copies share it. Whatever needs the masses throws ErrorKind::input if no component has mass on
/// the support whose logarithm is finite. All functions may be called from several threads.
class TruncatedMixture {
 public:
  TruncatedMixture(GaussianMixture mixture, Support support);

  Index dim() const { return mixture_.dim(); }
  const GaussianMixture& mixture() const { return mixture_; }
  const Support& support() const { return support_; }
  /// The mass of the untruncated mixture on the support; zero where only its logarithm is a double.
  Estimate mass() const;
  double log_mass() const;
  /// The same to a relative error of about `target`, in a fraction of the time; nothing is kept.
  double rough_log_mass(double target) const;
  /// The log mass of each component.
  const Eigen::VectorXd& log_component_masses() const;

  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& z) const;
  /// One column per sample, all of them in the support. Never hangs: rejection with a bound, then
  /// Gibbs sampling of the truncated component.
  Eigen::MatrixXd sample(Index count, Stream& stream) const;
  /// The same distribution by other random numbers: draws from the mixture that lie in the support.
  /// The masses are not needed then, which makes it much faster. Where they are known in closed
  /// form, or too few draws lie in the support, the samples are those of `sample`.
  Eigen::MatrixXd sample_without_masses(Index count, Stream& stream) const;
  /// Closed form where nothing (less than 1e-10 of the mass) is cut off, in one dimension and for
  /// diagonal covariances; else from `points`.
  Eigen::VectorXd mean() const;
  Eigen::MatrixXd covariance() const;
  double quantile(Index dim, double probability) const;
  /// Weighted quasi-random points with a fixed seed, which stand for it where there is no closed
  /// form.
  const WeightedSamples& points() const;

 private:
  struct Masses;
  struct Kept;

  const Masses& masses() const;
  bool is_diagonal() const;
  /// The components' weights after truncation.
  Eigen::VectorXd shares() const;

  GaussianMixture mixture_;
  Support support_;
  std::shared_ptr<Kept> kept_;
};

}  // namespace epsfree
