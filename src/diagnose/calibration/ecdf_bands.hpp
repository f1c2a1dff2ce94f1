// Bands within which the empirical distribution of uniform ranks stays as a whole (Säilynoja,
// Bürkner & Vehtari 2022), and the test that goes with them.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// `count` independent ranks, each uniform on 0 .. num_samples, seen at up to 100 points z of (0,
/// 1). How many ranks lie below each is a Markov chain of binomial steps, so that the probability
/// of leaving given bands anywhere is computed exactly.
class EcdfBands {
 public:
  EcdfBands(Index count, Index num_samples);

  Index num_points() const { return static_cast<Index>(cells_.size()); }
  /// A rank below cells()[k] lies below z()[k].
  const std::vector<int>& cells() const { return cells_; }
  double z(Index k) const;

  /// How many ranks lie below each point.
  Eigen::VectorXi counts_of(const Eigen::Ref<const Eigen::VectorXi>& ranks) const;
  /// The probability that uniform ranks stray as far as these or farther, at their worst point.
  double p_value(const Eigen::Ref<const Eigen::VectorXi>& ranks) const;

  struct Limits {
    Eigen::VectorXi lower, upper;  ///< the least and the largest counts within, at each point
  };
  /// The narrowest bands of one pointwise level that uniform ranks leave with a probability of at
  /// most `level`.
  Limits limits(double level) const;

 private:
  /// The probability of a count as far out as this or farther, at one point, on both sides.
  double pointwise_p(Index k, int count) const;
  /// Counts whose pointwise probability is above gamma.
  Limits within(double gamma) const;
  double probability_within(const Limits& limits) const;

  Index count_;
  Index num_samples_;
  std::vector<int> cells_;
  Eigen::MatrixXd below_;  ///< (c, k): P(count at point k <= c)
  std::vector<double> log_factorial_;
};

}  // namespace epsfree
