// Sums of numbers that are known by their logarithms, and draws in proportion to weights.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "epsfree/stream.hpp"

namespace epsfree {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log sum exp(values); -inf for none, or if all of them are -inf.
inline double log_sum_exp(const Eigen::Ref<const Eigen::VectorXd>& values) {
  if (values.size() == 0) return -kInfinity;
  const double top = values.maxCoeff();
  if (!std::isfinite(top)) return top;
  return top + std::log((values.array() - top).exp().sum());
}

/// exp of each value, with exp(-inf) = 0: Eigen's vectorised one returns the smallest double there,
/// and a component without weight would be drawn after all.
inline Eigen::VectorXd exp_each(const Eigen::Ref<const Eigen::VectorXd>& values) {
  return values.unaryExpr([](double value) { return std::exp(value); });
}

/// Draws an index in proportion to weights that sum to one; never one whose weight is zero.
inline Eigen::Index draw_index(const Eigen::Ref<const Eigen::VectorXd>& weights, Stream& stream) {
  double left = stream.uniform() * weights.sum();
  Eigen::Index last = 0;
  for (Eigen::Index k = 0; k < weights.size(); ++k) {
    if (!(weights(k) > 0)) continue;
    last = k;
    left -= weights(k);
    if (left < 0) break;
  }
  return last;
}

}  // namespace epsfree
