// Simulations that have been made already, by whoever: what to learn from without a simulator.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/posterior.hpp"
#include "epsfree/prior.hpp"

namespace epsfree {

/// Parameters with the statistics they led to, and what the parameters were drawn from.
class SimulationSet {
 public:
  struct Part {
    Eigen::MatrixXd thetas, statistics;  ///< one column per simulation, all of them usable
    PosteriorPtr proposal;               ///< what the thetas came from; null: the prior
  };

  explicit SimulationSet(PriorPtr prior);

  /// One column per simulation. Those with a statistic that is not finite are invalid and dropped.
  /// Throws ErrorKind::input if sizes disagree with each other or with what was added before, if a
  /// theta lies outside the prior's support, or if the proposal has no density.
  void add(const Eigen::Ref<const Eigen::MatrixXd>& thetas,
           const Eigen::Ref<const Eigen::MatrixXd>& statistics, PosteriorPtr proposal = nullptr);

  /// Counts simulations that were dropped before they came here.
  void add_dropped(long count, Index num_statistics);

  const PriorPtr& prior() const { return prior_; }
  const std::vector<Part>& parts() const { return parts_; }
  Index size() const { return size_; }
  long num_dropped() const { return num_dropped_; }
  /// 0 while nothing has been added.
  Index num_statistics() const { return num_statistics_; }
  bool all_from_prior() const;

 private:
  PriorPtr prior_;
  std::vector<Part> parts_;
  Index size_ = 0, num_statistics_ = 0;
  long num_dropped_ = 0;
};

}  // namespace epsfree
