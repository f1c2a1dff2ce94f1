// Where in parameter space simulations fail.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "epsfree/summary.hpp"

namespace epsfree {

/// Sums over simulations, in memory that does not grow with their number: round by round, because
/// each round draws its parameters from elsewhere.
class FaultTally {
 public:
  void add(const RoundSummary& round, const Eigen::MatrixXd& thetas,
           const std::vector<SimStatus>& statuses);
  /// Empty where none failed, or no round has both failed and successful simulations.
  FaultSummary summary() const;
  /// Whether all that it holds is about this many parameters.
  bool is_of(Index dim) const;

 private:
  struct Moments {
    long count = 0;
    Eigen::VectorXd sum, square_sum;  // sums over distances from the round's origin
    void add(const Eigen::Ref<const Eigen::VectorXd>& distance);
    Eigen::VectorXd mean() const;
    Eigen::VectorXd squares_about_mean() const;
  };
  struct Round {
    std::string phase;
    int number = 0;
    Eigen::VectorXd origin;  // its first theta, so that sums of squares lose no digits
    Moments failed, successful;
  };
  std::vector<Round> rounds_;

  template <class Archive>
  friend void exchange(Archive& archive, Moments& moments) {
    archive(moments.count, moments.sum, moments.square_sum);
  }
  template <class Archive>
  friend void exchange(Archive& archive, Round& round) {
    archive(round.phase, round.number, round.origin, round.failed, round.successful);
  }
  template <class Archive>
  friend void exchange(Archive& archive, FaultTally& tally) {
    archive(tally.rounds_);
  }
};

}  // namespace epsfree
