// The simulations that one local fit rests on.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "infer/local/simulation_pool.hpp"
#include "infer/statistics_map.hpp"

namespace epsfree {

/// The pool's simulations that matter under a target, with their weights; parameters whitened by
/// their own mean and covariance under it (u); folds for holding out.
class LocalExamples {
 public:
  /// Not `all`: no more than suffice for a proposal.
  LocalExamples(const SimulationPool& pool, const Eigen::VectorXd& observed,
                const LocalTarget& target, bool all, std::uint64_t seed, std::uint32_t round);

  const SimulationPool& pool() const { return pool_; }
  Index dim() const { return centre_.size(); }
  /// The effective number of examples.
  double size() const { return size_; }
  const Eigen::MatrixXd& parameters() const { return parameters_; }
  const Eigen::MatrixXd& statistics() const { return statistics_; }
  const Eigen::VectorXd& weights() const { return weights_; }
  /// The weights times a kernel of the distance to the observation that leaves half of the
  /// effective examples: how much predicting one of them tells about predicting at the observation.
  const Eigen::VectorXd& nearness() const { return nearness_; }
  /// What a likelihood is fitted to, whatever its weight under the target: the whole pool, or for a
  /// proposal as much of it as suffices. The parameters are whitened in the same way.
  const Eigen::MatrixXd& likelihood_parameters() const { return likelihood_parameters_; }
  Eigen::MatrixXd likelihood_statistics() const;
  Index in_pool(Index example) const { return chosen_[static_cast<std::size_t>(example)]; }
  /// Where an example stands among these.
  Index in_likelihood(Index example) const;
  /// The target as a density of u, made proper where it is flat.
  const LogQuadratic& target() const { return target_; }

  /// The examples of one fold. Large samples need not be held out more than once.
  std::vector<Index> fold(int number) const;
  int num_folds_used() const { return num_folds_used_; }

  StatisticsMap statistics_map(bool squashed) const;
  /// From u back to the prior's coordinates.
  GaussianMixture to_coordinates(const GaussianMixture& mixture) const;

 private:
  const SimulationPool& pool_;
  const Eigen::VectorXd& observed_;
  std::vector<Index> chosen_;
  double size_ = 0;
  Eigen::VectorXd centre_;
  Eigen::MatrixXd factor_;         // z = centre + factor u
  std::vector<Index> likelihood_;  // like chosen_ in the pool's order
  Eigen::MatrixXd parameters_, statistics_, likelihood_parameters_;
  Eigen::VectorXd weights_, nearness_;
  LogQuadratic target_;
  std::vector<int> folds_;
  int num_folds_used_ = 0;
};

/// Leaves at most `most` of them, evenly spread.
void thin(std::vector<Index>& indices, std::size_t most);

}  // namespace epsfree
