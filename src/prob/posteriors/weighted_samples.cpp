#include "epsfree/weighted_samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

void check_points(const Eigen::MatrixXd& points) {
  if (points.size() == 0) throw Error(ErrorKind::input, "WeightedSamples: there are no points");
  if (!points.allFinite()) {
    throw Error(ErrorKind::input, "WeightedSamples: a point has a value that is not finite");
  }
}

}  // namespace

WeightedSamples::WeightedSamples(Eigen::MatrixXd points,
                                 const Eigen::Ref<const Eigen::VectorXd>& log_weights)
    : points_(std::move(points)) {
  check_points(points_);
  if (log_weights.size() != points_.cols()) {
    throw Error(ErrorKind::input, "WeightedSamples: " + std::to_string(log_weights.size()) +
                                      " log weights for " + std::to_string(points_.cols()) +
                                      " points");
  }
  for (const double value : log_weights) {
    if (std::isnan(value) || value == kInfinity) {
      throw Error(ErrorKind::input, "WeightedSamples: a log weight is NaN or +inf");
    }
  }
  const double top = log_weights.maxCoeff();
  if (top == -kInfinity) throw Error(ErrorKind::input, "WeightedSamples: all weights are zero");
  weights_ = exp_each(log_weights.array() - top);
  weights_ /= weights_.sum();
}

WeightedSamples::WeightedSamples(Eigen::MatrixXd points) : points_(std::move(points)) {
  check_points(points_);
  weights_ = Eigen::VectorXd::Constant(size(), 1.0 / static_cast<double>(size()));
}

WeightedSamples WeightedSamples::from_weights(Eigen::MatrixXd points,
                                              const Eigen::Ref<const Eigen::VectorXd>& weights) {
  constexpr double kRounding = 1e-9;
  if (!weights.allFinite() || (weights.array() < 0).any()) {
    throw Error(ErrorKind::input, "WeightedSamples: a weight is negative or not finite");
  }
  WeightedSamples samples(std::move(points), Eigen::VectorXd(weights.array().log()));
  if (std::abs(weights.sum() - 1) <= kRounding) samples.weights_ = weights;
  return samples;
}

Eigen::VectorXd WeightedSamples::mean() const { return points_ * weights_; }

Eigen::MatrixXd WeightedSamples::covariance() const {
  const Eigen::MatrixXd centred = points_.colwise() - mean();
  return centred * weights_.asDiagonal() * centred.transpose();
}

double WeightedSamples::quantile(Index dim, double probability) const {
  check_dimension(dim, this->dim());
  check_probability(probability);
  std::vector<Index> order(static_cast<std::size_t>(size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return points_(dim, a) < points_(dim, b); });
  // The lowest point with positive weight at which the cumulative weight reaches the probability.
  double cumulative = 0;
  double last = points_(dim, order.front());
  for (const Index n : order) {
    if (!(weights_(n) > 0)) continue;
    last = points_(dim, n);
    cumulative += weights_(n);
    if (cumulative >= probability) break;
  }
  return last;
}

double WeightedSamples::effective_size() const { return 1 / weights_.squaredNorm(); }

Eigen::MatrixXd WeightedSamples::resample(Index count, Stream& stream) const {
  std::vector<Index> chosen;
  chosen.reserve(static_cast<std::size_t>(count));
  // Systematic: one uniform number, evenly spaced positions on the cumulative weights.
  const double offset = stream.uniform();
  Index heaviest;
  weights_.maxCoeff(&heaviest);
  Index n = 0;
  double cumulative = weights_(0);
  for (Index i = 0; i < count; ++i) {
    const double position = (static_cast<double>(i) + offset) / static_cast<double>(count);
    while (cumulative <= position && n + 1 < size()) cumulative += weights_(++n);
    chosen.push_back(weights_(n) > 0 ? n : heaviest);  // rounding may end on a trailing zero weight
  }
  stream.shuffle(std::span<Index>(chosen));
  return points_(Eigen::all, chosen);
}

}  // namespace epsfree
