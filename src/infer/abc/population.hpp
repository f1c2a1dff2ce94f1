// A population of sequential Monte Carlo, and the kernel that the next one is proposed from.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "infer/abc/abc_run.hpp"

namespace epsfree {

/// Accepted parameters z of one epsilon, with weights that sum to one.
struct Population {
  AbcSample sample;
  Eigen::MatrixXd z;
  double effective_size = 0;

  /// As many of its members, drawn by their weights, with equal ones.
  Population resampled(Stream& stream) const;
};

/// Where the next population is proposed from: sum_j v_j N(z | z_j, 2 S), with the population's
/// covariance S and weights v (Beaumont et al. 2009).
class PopulationKernel {
 public:
  /// Nothing where the population has no covariance. `adaptive`: the weights of members whose
  /// statistics are near the observation are raised (Bonassi & West 2015).
  static std::optional<PopulationKernel> around(const Population& population, bool adaptive,
                                                const Eigen::VectorXd& observed);

  Eigen::VectorXd draw(Stream& stream) const;
  /// Up to a constant.
  double log_density(const Eigen::VectorXd& z) const;

 private:
  Eigen::MatrixXd whiten(const Eigen::MatrixXd& z) const;
  void favour_near(const AbcSample& sample, const Eigen::VectorXd& observed);

  Eigen::MatrixXd factor_, centres_, whitened_;
  Eigen::VectorXd weights_, cumulative_;
};

}  // namespace epsfree
