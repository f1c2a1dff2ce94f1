// Options of the methods that accept what falls within an epsilon of the observation.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// How far a simulation lies from the observation.
enum class DistanceKind {
  euclidean,
  standard_deviation,         ///< Euclidean, each statistic over its standard deviation
  median_absolute_deviation,  ///< the same with the median absolute deviation
  mahalanobis,                ///< Euclidean after whitening by the statistics' covariance
};
/// "euclidean", "std", "mad", "mahalanobis".
std::string to_string(DistanceKind kind);

/// Called from several threads at once. What is NaN counts as infinitely far.
using DistanceFunction = std::function<double(const Eigen::Ref<const Eigen::VectorXd>& simulated,
                                              const Eigen::Ref<const Eigen::VectorXd>& observed)>;

/// Moving accepted parameters to where the observation would have them.
enum class Adjustment {
  none,
  linear,  ///< by weighted linear regression (Beaumont, Zhang & Balding 2002)
  neural,  ///< by a network's mean and covariance (Blum & Francois 2010)
};
std::string to_string(Adjustment adjustment);

/// What all of them share.
struct AbcOptions {
  DistanceKind distance = DistanceKind::euclidean;
  /// If given, instead of `distance`. It is no part of a problem file, nor of what a run directory
  /// knows of a run.
  DistanceFunction custom_distance = {};
  Adjustment adjust = Adjustment::none;
  /// Prior simulations that give the statistics' scale, part of the budget; none with a Euclidean
  /// distance or a custom one.
  Index pilot_simulations = 200;
  bool needs_pilot() const;
};

/// Pritchard et al. (1999).
struct RejectionOptions {
  double epsilon = 0;     ///< accept what is no farther away; 0: the nearest, however far
  Index num_samples = 0;  ///< the nearest so many; 0: as many as `fraction` says, or with an
                          ///< epsilon all within it
  /// The nearest of all simulations, without the two above; 0: a hundredth, or a hundred of them
  /// where that is more, but no more than a tenth.
  double fraction = 0;
  /// Choose while simulating: memory does not grow with the number of simulations, and only what is
  /// kept is recorded.
  bool streaming = false;
  AbcOptions abc = {};
  /// The most that are kept of so many simulations; 0: all within epsilon.
  Index most_of(Index num_simulations) const;
};

/// What a random walk steps with.
enum class StepShape {
  spherical,  ///< as wide in all directions, in units of the prior's standard deviations
  full,       ///< with the covariance of the chains' states
};
std::string to_string(StepShape shape);

/// Marjoram et al. (2003), from starts that rejection finds.
struct McmcOptions {
  double epsilon = 0;  ///< 0: the distance that `start_fraction` of the start's simulations reach
  double start_fraction = 0.1;
  Index start_simulations = 0;  ///< from the prior, to find starts; 0: a fifth of the budget
  int num_chains = 8;           ///< each step of all of them is one batch
  StepShape shape = StepShape::full;
  double scale = 0;      ///< of the steps; 0: tuned in the burn-in
  double burn_in = 0.3;  ///< share of the steps that the budget is sure to pay for, thrown away
  AbcOptions abc = {};
};

/// How epsilon falls from one population to the next.
enum class EpsilonSchedule {
  decay,     ///< by a factor
  quantile,  ///< to a quantile of the accepted distances
};
std::string to_string(EpsilonSchedule schedule);

/// Beaumont, Cornuet, Marin & Robert (2009).
struct SmcOptions {
  /// Accepted parameters; 0: a hundredth of the budget, at least 150 or a quarter of it, whichever
  /// is less, and at most 1000.
  Index population = 0;
  double epsilon = 0;  ///< stop when it is reached; 0: when another rule says so
  /// Of the first population; 0: chosen so that `quantile` of the first usable simulations, with
  /// EpsilonSchedule::decay half of them, are accepted.
  double initial_epsilon = 0;
  EpsilonSchedule schedule = EpsilonSchedule::quantile;
  double decay = 0.9;     ///< with EpsilonSchedule::decay
  double quantile = 0.5;  ///< with EpsilonSchedule::quantile
  /// Ancestors nearer to the observation are perturbed more often (Bonassi & West 2015).
  bool adaptive_weights = false;
  double resample_below = 0.5;  ///< resample when the effective size is below this share
  int max_populations = 100;
  double min_acceptance = 0.001;  ///< stop when a smaller share of the proposals is accepted
  double max_seconds = 0;         ///< begin no population after these; 0: no limit
  AbcOptions abc = {};
  /// Of a run with this budget.
  Index population_of(Index num_simulations) const;
};

}  // namespace epsfree
