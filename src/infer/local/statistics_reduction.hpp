// Many statistics, brought down to as many numbers as there are parameters.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "infer/local/simulation_pool.hpp"

namespace epsfree {

/// Predictions of the parameters from the statistics, which serve as statistics themselves
/// (Fearnhead & Prangle 2012).
///
/// A covariance of S statistics needs several times S simulations. With fewer, it fits the noise of
/// the simulations that it was made from, and the posterior comes out far too narrow. A ridge
/// regression of the parameters on the statistics does without it. Each simulation that the
/// regression was fitted to is predicted by the regression without it (its leave-one-out
/// prediction), so that predictions err as much as they do for an observation.
class StatisticsReduction {
 public:
  /// Whether a pool is too small for fits that use each statistic, or has too many statistics, so
  /// that such fits take too long.
  /// Simulations that were not chosen, all from the prior, tell less than those of the method's own
  /// rounds, which lie near the observation.
  static bool is_needed(Index num_statistics, Index num_simulations, bool are_chosen);

  StatisticsReduction(const SimulationPool& pool, const Eigen::VectorXd& observed);

  /// Simulations that were in the pool when this was fitted.
  Index num_fitted() const { return fitted_predictions_.cols(); }
  /// One column per simulation of a pool that begins with the simulations this was fitted to.
  Eigen::MatrixXd of_pool(const SimulationPool& pool) const;
  /// The predictions at the observation.
  const Eigen::VectorXd& of_observed() const { return observed_predictions_; }

 private:
  /// What the regression sees of some simulations, one column each.
  Eigen::MatrixXd contexts(const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                           std::span<const Index> simulations) const;
  Eigen::VectorXd predicted(const Eigen::Ref<const Eigen::VectorXd>& statistics) const;

  std::vector<Index> kept_;         // statistics that vary
  Eigen::VectorXd centre_, scale_;  // one entry per kept statistic
  Eigen::MatrixXd slope_;           // one row per parameter
  Eigen::VectorXd intercept_;
  Eigen::MatrixXd fitted_predictions_;
  Eigen::VectorXd observed_predictions_;
};

}  // namespace epsfree
