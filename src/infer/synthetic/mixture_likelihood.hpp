// A likelihood fitted to simulations: a mixture of regressions of statistics on parameters.
#pragma once

#include <Eigen/Core>

#include "infer/local/simulation_pool.hpp"
#include "infer/statistics_map.hpp"
#include "prob/regression/mixture_regression.hpp"

namespace epsfree {

/// log q(x_o | z), where q is the conditional of a Gaussian mixture of z and x together: a flexible
/// density of the statistics whose mean, shape and skewness change with the parameters (Fan, Nott &
/// Sisson 2013 build theirs from mixtures of each statistic). The number of components is that
/// which predicts held-out simulations best.
class MixtureLikelihood {
 public:
  /// One weight per simulation of the pool. Throws ErrorKind::stopped if no statistic varies.
  static MixtureLikelihood fit(const SimulationPool& pool, const Eigen::VectorXd& weights,
                               const Eigen::VectorXd& observed, int max_components);

  /// In the statistics' own units, up to a constant.
  double operator()(const Eigen::Ref<const Eigen::VectorXd>& z) const;
  int num_components() const { return num_components_; }
  const StatisticsMap& statistics() const { return statistics_; }
  /// q(z | x_o) of a linear Gaussian model of the simulations: a first idea of where the posterior
  /// is.
  const Gaussian& first_idea() const { return first_idea_; }

 private:
  MixtureLikelihood(StatisticsMap statistics, MixtureRegression regression, int num_components,
                    Eigen::VectorXd centre, Eigen::VectorXd scale, Gaussian first_idea);

  StatisticsMap statistics_;
  MixtureRegression regression_;
  int num_components_;
  Eigen::VectorXd centre_, scale_;  // of z
  Gaussian first_idea_;
};

}  // namespace epsfree
