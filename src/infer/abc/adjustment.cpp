#include "infer/abc/adjustment.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/dense_solvers.hpp"
#include "epsfree/effective_size.hpp"
#include "epsfree/error.hpp"
#include "epsfree/mixture_density_network.hpp"
#include "epsfree/standardiser.hpp"

namespace epsfree {
namespace {

// In standard deviations of the accepted statistics; beyond, a network only extrapolates.
constexpr double kLargestStatistic = 10;
constexpr double kFewestPerCoefficient = 2;
constexpr const char* kFailed = "the linear regression failed: nothing was adjusted";
// Of what a network is trained on, this part judges it; it has to be better by so many errors.
constexpr Index kOneInHeldOut = 5;
constexpr double kCertain = 2;
constexpr double kAdjustmentRidge = 1e-9;  // the residuals are standardised

/// The prior's coordinates stretched so that the support is all of space: a logarithm from a bound
/// that is alone, a log odds between two.
class Unbounded {
 public:
  explicit Unbounded(const Prior& prior)
      : prior_(prior),
        support_(prior.coordinate_support()),
        to_box_(support_.to_box()),
        from_box_(inverse_of_square(to_box_)),
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
  return {sample.thetas, sample.weights, effective_size(sample.weights), {}, {why}};
}

bool too_few(const AbcSample& sample, const Eigen::VectorXd& weights) {
  const auto coefficients = static_cast<double>(sample.statistics.rows() + 1);
  return effective_size(weights) < kFewestPerCoefficient * coefficients;
}

constexpr const char* kTooFew =
    "too few accepted simulations for a regression on all statistics: nothing was adjusted. Accept "
    "more samples, or raise method.num_simulations";

/// A weighted linear regression of unbounded parameters on the statistics of what counts.
struct LinearFit {
  Eigen::MatrixXd thetas;  ///< before
  Eigen::VectorXd weights;
  Eigen::MatrixXd statistics;   ///< each scaled
  Eigen::VectorXd observed;     ///< in the same scale
  Eigen::MatrixXd at_observed;  ///< unbounded parameters, moved to the observation
  /// Of the regression at the observation: its variance over that of the residuals.
  double leverage = 0;
};

LinearFit fit_linearly(const AbcSample& sample, const Eigen::VectorXd& weights,
                       const Unbounded& map, const Eigen::VectorXd& observed) {
  const std::vector<Index> chosen = with_weight(weights);
  LinearFit fit;
  fit.thetas = sample.thetas(Eigen::all, chosen);
  fit.weights = weights(chosen);
  const Eigen::MatrixXd y = map.from_thetas(fit.thetas);
  // Scaled, so that the rank of the design does not depend on units.
  const Standardiser scaling =
      Standardiser::fit(sample.statistics(Eigen::all, chosen), Scaling::normalise);
  fit.statistics = scaling.apply(sample.statistics(Eigen::all, chosen));
  fit.observed = scaling.apply(observed).col(0);
  const Eigen::MatrixXd away = fit.statistics.colwise() - fit.observed;
  Eigen::MatrixXd design(away.cols(), away.rows() + 1);
  design.col(0).setOnes();
  design.rightCols(away.rows()) = away.transpose();
  const Eigen::VectorXd roots = fit.weights.cwiseSqrt();
  // Statistics that depend on each other get the coefficients of least norm.
  const Eigen::MatrixXd scaled = roots.asDiagonal() * design;
  const Eigen::MatrixXd beta = least_squares_columns(scaled, roots.asDiagonal() * y.transpose());
  fit.at_observed = y - beta.bottomRows(away.rows()).transpose() * away;
  // The intercept is a sum of the y with these factors; by way of the small matrix, since a
  // pseudo-inverse of the large one would take the square of the sample's size.
  const Eigen::VectorXd row =
      least_squares(scaled.transpose() * scaled, Eigen::VectorXd::Unit(scaled.cols(), 0));
  fit.leverage = roots.cwiseProduct(scaled * row).squaredNorm();
  return fit;
}

Adjusted moved_back(const LinearFit& fit, const Unbounded& map, const Eigen::MatrixXd& moved) {
  Adjusted result{Eigen::MatrixXd(fit.thetas.rows(), fit.thetas.cols()),
                  fit.weights,
                  std::min(effective_size(fit.weights), 1 / fit.leverage),
                  {},
                  {}};
  for (Index i = 0; i < fit.thetas.cols(); ++i) {
    result.thetas.col(i) = map.to_theta(moved.col(i), fit.thetas.col(i));
  }
  return result;
}

/// The mean and covariance of the residuals as functions of the statistics.
class ResidualModel {
 public:
  ResidualModel(const LinearFit& fit, std::uint64_t seed)
      : fit_(fit),
        seed_(seed),
        scaling_(Standardiser::fit(fit.at_observed, Scaling::normalise)),
        residuals_(scaling_.apply(fit.at_observed)),
        contexts_(clamped(fit.statistics)),
        num_trained_(fit.thetas.cols() - fit.thetas.cols() / kOneInHeldOut) {}

  TrainingSummary train(const AdjustmentRequest& request);
  /// Whether it foretells residuals that were held out better than their own mean and covariance,
  /// by more than chance.
  bool is_worth_it() const;
  /// Residuals carried to the observation.
  Eigen::MatrixXd at_observed() const;

 private:
  static Eigen::MatrixXd clamped(const Eigen::MatrixXd& statistics) {
    return statistics.cwiseMax(-kLargestStatistic).cwiseMin(kLargestStatistic);
  }

  const LinearFit& fit_;
  std::uint64_t seed_;
  Standardiser scaling_;
  Eigen::MatrixXd residuals_, contexts_;
  Index num_trained_;
  std::unique_ptr<MixtureDensityNetwork<float>> network_;
};

TrainingSummary ResidualModel::train(const AdjustmentRequest& request) {
  NetworkOptions network_options;
  network_options.hidden_units = {30};
  Stream init(seed_, {.purpose = Purpose::network_init, .index = 2});
  network_ = std::make_unique<MixtureDensityNetwork<float>>(contexts_.rows(), residuals_.rows(),
                                                            network_options, init);
  const Eigen::VectorXd w = fit_.weights.head(num_trained_);
  Examples<float> examples;
  examples.targets = residuals_.leftCols(num_trained_).cast<float>();
  examples.contexts = contexts_.leftCols(num_trained_).cast<float>();
  examples.weights = (w * (static_cast<double>(w.size()) / w.sum())).cast<float>();
  TrainingOptions training;
  training.num_steps = 2000;
  training.learning_rate = 1e-2;
  training.schedule = Schedule::cosine;
  training.validation_fraction = 0.2;
  TrainingSummary summary = epsfree::train<float>(
      *network_, examples, training,
      Stream(seed_, {.purpose = Purpose::training_order, .index = 2}),
      Stream(seed_, {.purpose = Purpose::training_noise, .index = 2}), [&](long step, double loss) {
        return request.progress ? request.progress(step, training.num_steps, loss)
                                : Action::proceed;
      });
  if (summary.stopped_because == "interrupted") {
    throw Error(ErrorKind::interrupted, "interrupted while training the adjustment");
  }
  return summary;
}

bool ResidualModel::is_worth_it() const {
  const Index num_held_out = residuals_.cols() - num_trained_;
  const Eigen::MatrixXd trained = residuals_.leftCols(num_trained_);
  const Eigen::VectorXd w = fit_.weights.head(num_trained_) / fit_.weights.head(num_trained_).sum();
  const Eigen::VectorXd mean = trained * w;
  const Eigen::MatrixXd centred = trained.colwise() - mean;
  Eigen::MatrixXd covariance = centred * w.asDiagonal() * centred.transpose();
  covariance.diagonal().array() += kAdjustmentRidge;
  const Gaussian always = Gaussian::from_covariance(mean, covariance);
  const Eigen::VectorXd held =
      fit_.weights.tail(num_held_out) / fit_.weights.tail(num_held_out).sum();
  Eigen::VectorXd gains(num_held_out);
  for (Index i = 0; i < num_held_out; ++i) {
    const auto residual = residuals_.col(num_trained_ + i);
    gains[i] = network_->mixture_at(contexts_.col(num_trained_ + i)).log_prob(residual) -
               always.log_prob(residual);
  }
  const double gain = held.dot(gains);
  const double error = std::sqrt((held.array() * (gains.array() - gain)).square().sum());
  return gain > kCertain * error;
}

Eigen::MatrixXd ResidualModel::at_observed() const {
  // S^-1 = U^T U, so that C = U^-1 and C(s_o) C(s)^-1 = U(s_o)^-1 U(s).
  const GaussianMixture there = network_->mixture_at(clamped(fit_.observed).col(0));
  const Gaussian& at_observed = there.component(0);
  const auto U = at_observed.precision_factor().triangularView<Eigen::Upper>();
  Eigen::MatrixXd moved(residuals_.rows(), residuals_.cols());
  for (Index i = 0; i < residuals_.cols(); ++i) {
    const GaussianMixture mixture = network_->mixture_at(contexts_.col(i));
    const Gaussian& here = mixture.component(0);
    const Eigen::VectorXd standard =
        here.precision_factor().triangularView<Eigen::Upper>() * (residuals_.col(i) - here.mean());
    moved.col(i) = at_observed.mean() + U.solve(standard);
  }
  return scaling_.invert(moved);
}

}  // namespace

Adjusted adjust_linearly(const AbcSample& sample, const AdjustmentRequest& request) {
  const Eigen::VectorXd weights = kernel_weights(sample);
  if (too_few(sample, weights)) return unadjusted(sample, kTooFew);
  const Unbounded map(request.prior);
  const LinearFit fit = fit_linearly(sample, weights, map, request.observed);
  if (!fit.at_observed.allFinite()) return unadjusted(sample, kFailed);
  return moved_back(fit, map, fit.at_observed);
}

Adjusted adjust_by_network(const AbcSample& sample, const AdjustmentRequest& request) {
  const Eigen::VectorXd weights = kernel_weights(sample);
  if (too_few(sample, weights)) return unadjusted(sample, kTooFew);
  const Unbounded map(request.prior);
  const LinearFit fit = fit_linearly(sample, weights, map, request.observed);
  if (!fit.at_observed.allFinite()) return unadjusted(sample, kFailed);
  ResidualModel model(fit, request.seed);
  const TrainingSummary training = model.train(request);
  Adjusted result =
      moved_back(fit, map, model.is_worth_it() ? model.at_observed() : fit.at_observed);
  result.training = training;
  return result;
}

}  // namespace epsfree
