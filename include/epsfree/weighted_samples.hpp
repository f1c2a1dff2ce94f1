// Samples with weights: what ABC and importance corrections return.
#pragma once

#include <Eigen/Core>

#include "epsfree/gaussian.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {

/// Points, one per column, with weights that sum to one.
class WeightedSamples {
 public:
  /// Throws ErrorKind::input if sizes differ, a value is not finite, or all weights are zero.
  WeightedSamples(Eigen::MatrixXd points, const Eigen::Ref<const Eigen::VectorXd>& log_weights);
  /// Equal weights.
  explicit WeightedSamples(Eigen::MatrixXd points);
  /// With weights instead of their logarithms. Weights that sum to one but for rounding stay as
  /// they are: samples read from a file are bit for bit those that were written.
  static WeightedSamples from_weights(Eigen::MatrixXd points,
                                      const Eigen::Ref<const Eigen::VectorXd>& weights);

  Index dim() const { return points_.rows(); }
  Index size() const { return points_.cols(); }
  const Eigen::MatrixXd& points() const { return points_; }
  const Eigen::VectorXd& weights() const { return weights_; }

  Eigen::VectorXd mean() const;
  Eigen::MatrixXd covariance() const;
  double quantile(Index dim, double probability) const;
  /// 1 / sum of squared weights (appendix E).
  double effective_size() const;
  /// Draws with replacement in proportion to the weights (systematic resampling, then shuffled).
  Eigen::MatrixXd resample(Index count, Stream& stream) const;

 private:
  Eigen::MatrixXd points_;
  Eigen::VectorXd weights_;
};

}  // namespace epsfree
