// One fit of the default method: the posterior from all simulations made so far.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "epsfree/gaussian_mixture.hpp"
#include "epsfree/summary.hpp"
#include "infer/local/simulation_pool.hpp"

namespace epsfree {

struct LocalFitOptions {
  Index max_components = 8;
  /// Whether this is the answer, not only a proposal: all examples are used, a network may be
  /// trained if mixtures do not suffice, and a correction that fails is made by importance weights.
  bool final = false;
  bool network = true;
  std::uint64_t seed = 1;
  std::uint32_t round = 0;  ///< for the streams
};

/// The posterior as a fit sees it, and how it was found.
struct LocalFit {
  explicit LocalFit(GaussianMixture mixture) : posterior(std::move(mixture)) {}
  GaussianMixture posterior;  ///< in z; to be normalised on the prior's support
  std::vector<StackMember> members;
  double effective_examples = 0;
  double tempering = 1;  ///< as in RegressionAnswer, the largest of the members used
  int components_damped = 0, components_dropped = 0;
  bool importance = false;
  double importance_size = 0;
  TrainingSummary training;
};

/// Fits candidates to the pool's simulations, weighted as if they came from `target`: regressions
/// with 1, 2, 4, ... components on plain and on squashed statistics, a linear-Gaussian likelihood,
/// and a network where these do not suffice. Stacks them by how well they predict parameters that
/// were held out near the observation, and corrects the answer at the observation from `target`
/// to the prior. Throws ErrorKind::stopped if that leaves nothing.
LocalFit fit_locally(const SimulationPool& pool, const Eigen::VectorXd& observed,
                     const LocalTarget& target, bool target_is_prior,
                     const LocalFitOptions& options,
                     const std::function<Action(long step, long num_steps, double loss)>& progress);

}  // namespace epsfree
