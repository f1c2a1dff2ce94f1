#include "prob/mixtures/truncated_points.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/priors/inside.hpp"

namespace epsfree {

namespace {

Gaussian in_box(const Gaussian& component, const Support& support) {
  return support.is_box()
             ? component
             : component.affine(support.to_box(), Eigen::VectorXd::Zero(component.dim()));
}

}  // namespace

bool all_diagonal(const GaussianMixture& mixture, const Support& support) {
  return std::all_of(
      mixture.components().begin(), mixture.components().end(),
      [&](const Gaussian& component) { return is_diagonal(in_box(component, support)); });
}

std::vector<BoxGaussian> box_components(const GaussianMixture& mixture, const Support& support) {
  std::vector<BoxGaussian> boxes;
  for (const Gaussian& component : mixture.components()) {
    boxes.emplace_back(in_box(component, support), support.lower(), support.upper());
  }
  return boxes;
}

WeightedSamples truncated_points(const TruncatedMixture& truncated) {
  constexpr double kNumPoints = 1 << 15;
  constexpr Index kFewest = 256;
  const GaussianMixture& mixture = truncated.mixture();
  const Support& support = truncated.support();
  const Index dim = truncated.dim();
  const Eigen::VectorXd log_shares = mixture.log_weights() + truncated.log_component_masses();
  const double log_total = log_sum_exp(log_shares);
  const std::vector<BoxGaussian> boxes = box_components(mixture, support);

  std::vector<Index> counts;
  Index total = 0;
  for (Index k = 0; k < log_shares.size(); ++k) {
    const double share = std::exp(log_shares(k) - log_total);
    counts.push_back(share < 1e-14 ? 0 : std::max(kFewest, static_cast<Index>(share * kNumPoints)));
    total += counts.back();
  }
  Stream stream(0, Key{.purpose = Purpose::moments});
  Eigen::MatrixXd points(dim, total);
  Eigen::VectorXd log_weights(total);
  Eigen::VectorXd u(dim), y(dim);
  Index begin = 0;
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    const Lattice lattice(dim, stream);
    for (Index n = 0; n < counts[k]; ++n) {
      check_interruption();
      lattice.point(n, u);
      log_weights(begin + n) = boxes[k].walk(u, y);
      points.col(begin + n) = y;
    }
    // The component's share is known; the weights only spread it over its points.
    auto own = log_weights.segment(begin, counts[k]);
    const double sum = log_sum_exp(own);
    if (sum > -kInfinity) own.array() += log_shares(static_cast<Index>(k)) - log_total - sum;
    begin += counts[k];
  }
  if (!support.is_box()) {
    points = solve_square_columns(support.to_box(), points);
    for (Index n = 0; n < total; ++n) points.col(n) = bring_inside(support, points.col(n));
  }
  return WeightedSamples(std::move(points), log_weights);
}

}  // namespace epsfree
