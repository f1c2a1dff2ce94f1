#include "infer/adjustment.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "epsfree/effective_size.hpp"
#include "epsfree/error.hpp"
#include "epsfree/mixture_density_network.hpp"
#include "epsfree/standardiser.hpp"

namespace epsfree {
namespace {

// In standard deviations of the accepted statistics; beyond, a network only extrapolates.
constexpr double kLargestContext = 10;
constexpr double kFewestPerCoefficient = 2;

/// The prior's coordinates stretched so that the support is all of space: a logarithm from a bound
/// that is alone, a log odds between two.
class Unbounded {
 public:
  explicit Unbounded(const Prior& prior)
      : prior_(prior),
        support_(prior.coordinate_support()),
        to_box_(support_.to_box()),
        from_box_(to_box_.inverse()),
        scale_((to_box_ * prior.coordinate_std().asDiagonal()).rowwise().norm()) {}

  Eigen::MatrixXd from_thetas(const Eigen::MatrixXd& thetas) const {
    Eigen::MatrixXd result(thetas.rows(), thetas.cols());
    for (Index i = 0; i < thetas.cols(); ++i) {
      const Eigen::VectorXd u = box_coordinates(thetas.col(i));
      for (Index d = 0; d < u.size(); ++d) result(d, i) = stretch(u[d], d);
    }
    return result;
  }

  /// Rounding at a bound, which the way back may end on, is answered with the nearest point towards
  /// `inside`.
  Eigen::VectorXd to_theta(const Eigen::VectorXd& y, const Eigen::VectorXd& inside) const {
    Eigen::VectorXd u(y.size());
    for (Index d = 0; d < y.size(); ++d) u[d] = shrink(y[d], d);
    const Eigen::VectorXd start = box_coordinates(inside);
    for (int i = 0; i < 60; ++i) {
      const Eigen::VectorXd theta = prior_.from_coordinates(from_box_ * u);
      if (theta.allFinite() && prior_.contains(theta)) return theta;
      // Most of the way at first, then half of it.
      u = i < 3 ? Eigen::VectorXd(u + 1e-12 * (start - u)) : Eigen::VectorXd(0.5 * (u + start));
    }
    return inside;
  }

 private:
  Eigen::VectorXd box_coordinates(const Eigen::VectorXd& theta) const {
    return to_box_ * prior_.to_coordinates(theta);
  }
  bool has_lower(Index d) const { return std::isfinite(support_.lower()[d]); }
  bool has_upper(Index d) const { return std::isfinite(support_.upper()[d]); }

  double stretch(double u, Index d) const {
    const double tiny = 1e-12;
    const double low = support_.lower()[d], high = support_.upper()[d];
    if (has_lower(d) && has_upper(d)) {
      const double p = std::clamp((u - low) / (high - low), tiny, 1 - tiny);
      return std::log(p) - std::log1p(-p);
    }
    if (has_lower(d)) return std::log(std::max(u - low, tiny * scale_[d]));
    if (has_upper(d)) return -std::log(std::max(high - u, tiny * scale_[d]));
    return u;
  }
  double shrink(double y, Index d) const {
    const double low = support_.lower()[d], high = support_.upper()[d];
    if (has_lower(d) && has_upper(d)) return low + (high - low) / (1 + std::exp(-y));
    if (has_lower(d)) return low + std::exp(y);
    if (has_upper(d)) return high - std::exp(-y);
    return y;
  }

  const Prior& prior_;
  Support support_;
  Eigen::MatrixXd to_box_, from_box_;
  Eigen::VectorXd scale_;  // of the prior, in the box's coordinates
};

/// The sample's weights times the Epanechnikov kernel of the distance.
Eigen::VectorXd kernel_weights(const AbcSample& sample) {
  // The farthest of a best-n sample lies at epsilon itself, where the kernel is zero.
  const double epsilon = std::max(sample.epsilon, sample.distances.maxCoeff());
  if (!(epsilon > 0) || !std::isfinite(epsilon)) return sample.weights;
  Eigen::VectorXd weights =
      sample.weights.array() * (1 - (sample.distances.array() / epsilon).square());
  if (!(weights.sum() > 0)) return sample.weights;  // all equally far away
  return weights / weights.sum();
}

/// The columns that count.
std::vector<Index> with_weight(const Eigen::VectorXd& weights) {
  std::vector<Index> result;
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) result.push_back(i);
  }
  return result;
}

Adjusted unadjusted(const AbcSample& sample, const std::string& why) {
  return {sample.thetas, sample.weights, {}, {why}};
}

bool too_few(const AbcSample& sample, const Eigen::VectorXd& weights) {
  const auto coefficients = static_cast<double>(sample.statistics.rows() + 1);
  return effective_size(weights) < kFewestPerCoefficient * coefficients;
}

constexpr const char* kTooFew =
    "too few accepted simulations for a regression on all statistics: nothing was adjusted. Accept "
    "more samples, or raise method.num_simulations";

}  // namespace

Adjusted adjust_linearly(const AbcSample& sample, const AdjustmentRequest& request) {
  const Eigen::VectorXd weights = kernel_weights(sample);
  if (too_few(sample, weights)) return unadjusted(sample, kTooFew);
  const std::vector<Index> chosen = with_weight(weights);
  const Eigen::MatrixXd thetas = sample.thetas(Eigen::all, chosen);
  const Eigen::VectorXd w = weights(chosen);
  const Unbounded map(request.prior);
  const Eigen::MatrixXd y = map.from_thetas(thetas);

  // Scaled, so that the rank of the design does not depend on units.
  const Standardiser scaling =
      Standardiser::fit(sample.statistics(Eigen::all, chosen), Scaling::normalise);
  const Eigen::MatrixXd t = scaling.apply(sample.statistics(Eigen::all, chosen));
  const Eigen::MatrixXd away = t.colwise() - scaling.apply(request.observed).col(0);
  Eigen::MatrixXd design(t.cols(), t.rows() + 1);
  design.col(0).setOnes();
  design.rightCols(t.rows()) = away.transpose();
  const Eigen::VectorXd roots = w.cwiseSqrt();
  // Statistics that depend on each other get the coefficients of least norm.
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(roots.asDiagonal() * design);
  const Eigen::MatrixXd beta = solver.solve(roots.asDiagonal() * y.transpose());
  const Eigen::MatrixXd adjusted = y - beta.bottomRows(t.rows()).transpose() * away;
  if (!adjusted.allFinite()) {
    return unadjusted(sample, "the linear regression failed: nothing was adjusted");
  }
  Adjusted result{Eigen::MatrixXd(thetas.rows(), thetas.cols()), w, {}, {}};
  for (Index i = 0; i < thetas.cols(); ++i) {
    result.thetas.col(i) = map.to_theta(adjusted.col(i), thetas.col(i));
  }
  return result;
}

Adjusted adjust_by_network(const AbcSample& sample, const AdjustmentRequest& request) {
  const Eigen::VectorXd weights = kernel_weights(sample);
  if (too_few(sample, weights)) return unadjusted(sample, kTooFew);
  const std::vector<Index> chosen = with_weight(weights);
  const Eigen::MatrixXd thetas = sample.thetas(Eigen::all, chosen);
  const Eigen::VectorXd w = weights(chosen);
  const Unbounded map(request.prior);
  const Eigen::MatrixXd y = map.from_thetas(thetas);

  const Eigen::MatrixXd statistics = sample.statistics(Eigen::all, chosen);
  const Standardiser scaling = Standardiser::fit(statistics, Scaling::normalise);
  const Standardiser targets = Standardiser::fit(y, Scaling::normalise);
  const auto context = [&](const Eigen::MatrixXd& s) -> Eigen::MatrixXd {
    return scaling.apply(s).cwiseMax(-kLargestContext).cwiseMin(kLargestContext);
  };
  const Eigen::MatrixXd contexts = context(statistics);
  const Eigen::MatrixXd u = targets.apply(y);

  NetworkOptions network_options;
  network_options.hidden_units = {30};
  Stream init(request.seed, {.purpose = Purpose::network_init, .index = 2});
  MixtureDensityNetwork<float> network(contexts.rows(), u.rows(), network_options, init);
  Examples<float> examples;
  examples.targets = u.cast<float>();
  examples.contexts = contexts.cast<float>();
  examples.weights = (w * (static_cast<double>(w.size()) / w.sum())).cast<float>();
  TrainingOptions training;
  training.num_steps = 2000;
  training.learning_rate = 1e-2;
  training.schedule = Schedule::cosine;
  Adjusted result{thetas, w, {}, {}};
  result.training =
      train<float>(network, examples, training,
                   Stream(request.seed, {.purpose = Purpose::training_order, .index = 2}),
                   Stream(request.seed, {.purpose = Purpose::training_noise, .index = 2}),
                   [&](long step, double loss) {
                     return request.progress ? request.progress(step, training.num_steps, loss)
                                             : Action::proceed;
                   });
  if (result.training.stopped_because == "interrupted") {
    throw Error(ErrorKind::interrupted, "interrupted while training the adjustment");
  }
  // S^-1 = U^T U, so that C = U^-1 and C(s_o) C(s)^-1 = U(s_o)^-1 U(s).
  const GaussianMixture there = network.mixture_at(context(request.observed).col(0));
  const Gaussian& at_observed = there.component(0);
  const auto U = at_observed.precision_factor().triangularView<Eigen::Upper>();
  for (Index i = 0; i < thetas.cols(); ++i) {
    const GaussianMixture mixture = network.mixture_at(contexts.col(i));
    const Gaussian& here = mixture.component(0);
    const Eigen::VectorXd residual = here.precision_factor() * (u.col(i) - here.mean());
    const Eigen::VectorXd moved = at_observed.mean() + U.solve(residual);
    result.thetas.col(i) = map.to_theta(targets.invert(moved).col(0), thetas.col(i));
  }
  return result;
}

}  // namespace epsfree
