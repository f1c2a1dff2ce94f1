// What the three synthetic likelihoods share: simulations, chains and the answer.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "infer/inference_run.hpp"
#include "infer/local/simulation_pool.hpp"

namespace epsfree {

/// What chains visited after their burn-in, in the prior's coordinates.
struct ChainStates {
  std::vector<Eigen::MatrixXd> states;  ///< one matrix per chain, one column per step
  long burn_in = 0;                     ///< steps before that
  double acceptance_rate = 0;

  Index num_states() const;
  Eigen::MatrixXd all() const;
};

/// A log density of z, or of a part of it; -inf where there is none.
using LogDensity = std::function<double(const Eigen::Ref<const Eigen::VectorXd>& z)>;

/// An inference with a synthetic likelihood in progress.
class SyntheticRun {
 public:
  explicit SyntheticRun(InferenceRun& run);

  InferenceRun& run() { return run_; }
  const SyntheticOptions& options() const {
    return std::get<SyntheticOptions>(run_.options().method);
  }
  const Prior& prior() const { return run_.prior(); }
  Index dim() const { return run_.prior().dim(); }
  const Eigen::VectorXd& observed() const { return run_.problem().observed; }
  /// What is left of the budget.
  Index remaining() { return run_.options().num_simulations - run_.summary().simulations.total(); }
  /// log p(z) up to a constant; -inf outside the support.
  double log_prior(const Eigen::Ref<const Eigen::VectorXd>& z) const;

  /// Parameters from the proposal, for the round's number.
  Eigen::MatrixXd draw(const Proposal& proposal, Index count, RoundSummary& round);
  /// Simulates each column of z `num_replicates` times, one after the other, and adds the cost to
  /// the round. Throws ErrorKind::stopped if fewer than `fewest` are usable.
  SimulationResults simulate(const Eigen::MatrixXd& z, Index num_replicates, RoundSummary& round,
                             DrawnFrom drawn_from = DrawnFrom::proposal, long fewest = 0);

  /// One stream per chain for the next step of a walk. Walks are numbered as they begin.
  int begin_walk() { return num_walks_++; }
  std::vector<Stream> streams(int walk, long step) const;
  /// Chains of prior times a likelihood that needs no simulation, from the best of the candidate
  /// columns. Throws ErrorKind::stopped where none of them has a density.
  ChainStates walk(const LogDensity& log_likelihood, const Eigen::MatrixXd& candidates,
                   const Eigen::MatrixXd& covariance, Index num_steps, const RoundSummary& round);

  /// The thinned chains as a posterior, with what they are worth in the summary. `advice` says what
  /// to change where that is little. Throws ErrorKind::stopped if no chain has moved.
  InferResult finish(const ChainStates& chains, RoundSummary round, const std::string& advice);

 private:
  InferenceRun& run_;
  LocalTarget prior_density_;
  Support support_;
  int num_walks_ = 0;
  std::uint32_t num_batches_ = 0;
};

}  // namespace epsfree
