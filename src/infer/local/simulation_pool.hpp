// All simulations of an inference, and how to use them together.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/prior.hpp"
#include "infer/inference_run.hpp"

namespace epsfree {

/// An unnormalised Gaussian, flat or exponential density of z, written around an origin near its
/// centre: quadratics around a far-off zero are differences of huge numbers.
struct LocalTarget {
  Eigen::VectorXd origin;
  LogQuadratic log_density;  ///< of z - origin

  static LocalTarget of_prior(const Prior& prior);
  static LocalTarget of(const Gaussian& gaussian);
  double operator()(const Eigen::Ref<const Eigen::VectorXd>& z) const;
  /// The same density around another origin.
  LocalTarget around(const Eigen::VectorXd& other) const;
  /// a^(1 - share) b^share.
  static LocalTarget between(const LocalTarget& a, const LocalTarget& b, double share);
};

/// The simulations of all rounds. Which proposal one came from does not matter: together they are a
/// sample of the mixture of all proposals, and weights target / mixture make it one of any target
/// that they cover (the balance heuristic of Veach & Guibas 1995).
class SimulationPool {
 public:
  explicit SimulationPool(PriorPtr prior);

  /// Adds what was simulated from a proposal. Its mass on the prior's support is computed unless it
  /// is given.
  void add(const Proposal& proposal, const SimulatedPairs& pairs, double mass = 0);
  /// The same for what was drawn from a posterior.
  void add_from(PosteriorPtr proposal, const SimulatedPairs& pairs);

  /// The same simulations with other statistics, one column each.
  SimulationPool with_statistics(Eigen::MatrixXd statistics) const;

  Index size() const { return coordinates_.cols(); }
  const Prior& prior() const { return *prior_; }
  const Eigen::MatrixXd& coordinates() const { return coordinates_; }
  const Eigen::MatrixXd& statistics() const { return statistics_; }
  /// Some of the simulations, which stand for all.
  SimulationPool part(const std::vector<Index>& simulations) const;
  /// One per simulation; the largest is one.
  Eigen::VectorXd weights_towards(const LocalTarget& target) const;

 private:
  struct Source {
    Proposal proposal;
    double log_mass;  // of the proposal on the support
    Index count;
    PosteriorPtr posterior = {};  // instead of `proposal`, if there is one
  };
  void add_source(Source source, const SimulatedPairs& pairs);
  Eigen::VectorXd log_density(const Source& source, const Eigen::MatrixXd& z) const;

  PriorPtr prior_;
  std::vector<Source> sources_;
  Eigen::MatrixXd coordinates_, statistics_;
  Eigen::VectorXd log_mixture_;  // log sum_s count_s p_s(z), at every simulation
};

}  // namespace epsfree
