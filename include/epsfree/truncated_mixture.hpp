// A Gaussian mixture restricted to a support and normalised there.
#pragma once

#include <Eigen/Core>

#include "epsfree/gaussian_mixture.hpp"
#include "epsfree/support.hpp"

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
class TruncatedMixture {
 public:
  /// Throws ErrorKind::input if no component has mass on the support whose logarithm is finite.
  TruncatedMixture(GaussianMixture mixture, Support support);

  Index dim() const { return mixture_.dim(); }
  const GaussianMixture& mixture() const { return mixture_; }
  const Support& support() const { return support_; }
  /// The mass of the untruncated mixture on the support; zero where only its logarithm is a double.
  Estimate mass() const { return mass_; }
  double log_mass() const { return log_mass_; }
  /// The same for each component.
  const Eigen::VectorXd& log_component_masses() const { return log_component_masses_; }

  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& z) const;
  /// One column per sample, all of them in the support. Never hangs: rejection with a bound, then
  /// Gibbs sampling of the truncated component.
  Eigen::MatrixXd sample(Index count, Stream& stream) const;
  /// Closed form where nothing (less than 1e-10 of the mass) is cut off, in one dimension and for
  /// diagonal covariances; else from weighted quasi-random points with a fixed seed.
  Eigen::VectorXd mean() const;
  Eigen::MatrixXd covariance() const;
  double quantile(Index dim, double probability) const;

 private:
  /// The components' weights after truncation.
  Eigen::VectorXd shares() const;

  GaussianMixture mixture_;
  Support support_;
  Eigen::VectorXd log_component_masses_;
  double log_mass_;
  Estimate mass_;
};

}  // namespace epsfree
