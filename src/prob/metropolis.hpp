// Metropolis chains, side by side, with a Gaussian random walk that finds its own scale.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "epsfree/gaussian.hpp"

namespace epsfree {

struct MetropolisOptions {
  /// Steps with the covariance of the chains' own states; false: the covariance that was given,
  /// times a factor.
  bool full = true;
  /// Steps are this many times as wide as the covariance; 0: tuned in the burn-in.
  double scale = 0;
};

/// Chains of one target, each with its own random numbers, that move together: the caller gives the
/// log densities of all proposals of a step at once, and so can simulate them as one batch.
/// Densities may be estimates: an accepted one stays until the next (Marjoram et al. 2003; Andrieu
/// & Roberts 2009).
///
///   for (step ...) {
///     chains.propose(streams);
///     ... log densities of chains.proposals() ...
///     chains.decide(log_densities);
///     if (step < burn_in) chains.tune(step, burn_in);
///   }
///
/// In the burn-in the width of each step is drawn from a ladder, whatever the state, which keeps
/// the target; at its end stays the width whose squared jumps were largest on average (Pasarica &
/// Gelman 2010). Unlike a wished-for acceptance rate this also works where a likelihood is
/// estimated and nearly all proposals are refused however short they are.
class MetropolisChains {
 public:
  /// One state per column, with its log density. The covariance is a first idea of the target's.
  /// Throws ErrorKind::input if sizes differ or a start has no density.
  MetropolisChains(Eigen::MatrixXd states, Eigen::VectorXd log_densities,
                   const Eigen::Ref<const Eigen::MatrixXd>& covariance,
                   const MetropolisOptions& options = {});

  Index num_chains() const { return states_.cols(); }
  Index dim() const { return states_.rows(); }
  const Eigen::MatrixXd& states() const { return states_; }
  const Eigen::VectorXd& log_densities() const { return log_densities_; }

  /// Draws a proposal and the number that decides on it, with one stream per chain.
  void propose(std::span<Stream> streams);
  const Eigen::MatrixXd& proposals() const { return proposals_; }
  /// Whether a proposal would be accepted if its log density were this. Where that is an upper
  /// bound, such as the prior before an indicator, what is refused need not be simulated.
  bool would_accept(Index chain, double log_density) const;
  /// Moves the chains whose proposals are accepted; one log density per proposal, -inf or NaN for
  /// those to refuse. Returns how many moved.
  Index decide(const Eigen::Ref<const Eigen::VectorXd>& log_densities);
  const std::vector<bool>& moved() const { return moved_; }

  /// After step `step` (from 0) of a burn-in of `burn_in` steps: learns from it.
  void tune(long step, long burn_in);
  /// Of the steps from now on.
  double scale() const { return scale_; }
  Eigen::MatrixXd covariance() const { return factor_ * factor_.transpose(); }

 private:
  void reshape();
  double width_of(std::size_t chain) const;

  MetropolisOptions options_;
  Eigen::MatrixXd states_, proposals_;
  Eigen::VectorXd log_densities_, log_uniforms_;
  std::vector<bool> moved_;
  Eigen::MatrixXd factor_;  // lower Cholesky factor of the steps' covariance
  double scale_;
  bool tuning_;
  std::vector<std::size_t> rungs_;  // of this step, per chain
  Eigen::VectorXd jumps_, tries_;   // per rung
  // Of the states of the burn-in.
  double num_states_ = 0;
  Eigen::VectorXd origin_, sum_;
  Eigen::MatrixXd squares_;
};

}  // namespace epsfree
