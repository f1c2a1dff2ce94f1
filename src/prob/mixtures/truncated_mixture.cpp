#include "epsfree/truncated_mixture.hpp"
#include "base/dense_solvers.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "base/interruption.hpp"
#include "epsfree/error.hpp"
#include "prob/bracketed_root.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/mixtures/truncated_points.hpp"
#include "prob/normal.hpp"
#include "prob/priors/inside.hpp"

namespace epsfree {
namespace {

// Draws that may be tried for one sample before the masses are computed after all, and for all.
constexpr Index kTriesPerSample = 20;
constexpr Index kMoreTries = 1000;
// Points that a rough mass begins with.
constexpr Index kFewMassPoints = 8;

/// One dimension of a component with a diagonal covariance.
struct Slice {
  double share, mean, std, lower, upper;  // bounds standardised

  double log_mass() const { return log_normal_interval(lower, upper); }
  double below(double z) const {
    return std::exp(log_normal_interval(lower, std::min((z - mean) / std, upper)) - log_mass());
  }
  double above(double z) const {
    return std::exp(log_normal_interval(std::max((z - mean) / std, lower), upper) - log_mass());
  }
};

std::vector<Slice> slices(const TruncatedMixture& truncated, const Eigen::VectorXd& shares,
                          Index dim) {
  std::vector<Slice> result;
  const Support& support = truncated.support();
  const Eigen::MatrixXd W = support.to_box();
  for (Index k = 0; k < shares.size(); ++k) {
    if (!(shares(k) > 0)) continue;
    const Gaussian& g = truncated.mixture().component(k);
    const double mean = W.row(dim).dot(g.mean());
    Eigen::VectorXd row = W.row(dim);
    g.precision_factor().triangularView<Eigen::Upper>().transpose().solveInPlace(row);
    const double std = row.norm();
    result.push_back({shares(k), mean, std, (support.lower()(dim) - mean) / std,
                      (support.upper()(dim) - mean) / std});
  }
  return result;
}

double quantile_of(const std::vector<Slice>& parts, double probability) {
  double low = kInfinity, high = -kInfinity;
  for (const Slice& part : parts) {
    const double own =
        part.mean + part.std * truncated_normal_quantile(part.lower, part.upper, probability);
    low = std::min(low, own);
    high = std::max(high, own);
  }
  const auto excess = [&](double z) {
    double below = 0, above = 0;
    for (const Slice& part : parts) {
      below += part.share * part.below(z);
      above += part.share * part.above(z);
    }
    return probability < 0.5 ? below - probability : (1 - probability) - above;
  };
  return bracketed_root(excess, low, high);
}

double checked_log_mass(double log_mass) {
  if (!std::isfinite(log_mass)) {
    throw Error(ErrorKind::input,
                "TruncatedMixture: the mixture has no mass on the support (log mass = " +
                    std::to_string(log_mass) + ")");
  }
  return std::min(log_mass, 0.0);
}

}  // namespace

struct TruncatedMixture::Masses {
  Eigen::VectorXd log_of_components;
  double log_of_all = 0;
  Estimate of_all;
};

struct TruncatedMixture::Kept {
  std::once_flag masses_made, diagonal_made, points_made;
  Masses masses;
  bool is_diagonal = false;
  std::optional<WeightedSamples> points;
};

TruncatedMixture::TruncatedMixture(GaussianMixture mixture, Support support)
    : mixture_(std::move(mixture)), support_(std::move(support)), kept_(std::make_shared<Kept>()) {
  check_rows(support_.dim(), mixture_.dim(), "TruncatedMixture: the support");
}

const TruncatedMixture::Masses& TruncatedMixture::masses() const {
  // An exception leaves the flag as it was: the next call throws it again.
  std::call_once(kept_->masses_made, [this] {
    const Index K = mixture_.num_components();
    Masses& masses = kept_->masses;
    masses.log_of_components = Eigen::VectorXd::Zero(K);
    Eigen::VectorXd relative_errors = Eigen::VectorXd::Zero(K);
    if (!support_.is_everywhere()) {
      const std::vector<BoxGaussian> boxes = box_components(mixture_, support_);
      for (Index k = 0; k < K; ++k) {
        if (mixture_.log_weights()(k) == -kInfinity) continue;
        const BoxGaussian::LogMass log_mass = boxes[static_cast<std::size_t>(k)].log_mass();
        masses.log_of_components(k) = log_mass.value;
        relative_errors(k) = log_mass.relative_error;
      }
    }
    const Eigen::VectorXd log_shares = mixture_.log_weights() + masses.log_of_components;
    masses.log_of_all = checked_log_mass(log_sum_exp(log_shares));
    masses.of_all.value = std::exp(masses.log_of_all);
    masses.of_all.standard_error =
        (log_shares.array().exp() * relative_errors.array()).matrix().norm();
  });
  return kept_->masses;
}

Estimate TruncatedMixture::mass() const { return masses().of_all; }
double TruncatedMixture::log_mass() const { return masses().log_of_all; }
const Eigen::VectorXd& TruncatedMixture::log_component_masses() const {
  return masses().log_of_components;
}

double TruncatedMixture::rough_log_mass(double target) const {
  if (support_.is_everywhere()) return 0;
  Eigen::VectorXd log_shares = mixture_.log_weights();
  const std::vector<BoxGaussian> boxes = box_components(mixture_, support_);
  for (Index k = 0; k < log_shares.size(); ++k) {
    if (log_shares(k) == -kInfinity) continue;
    log_shares(k) += boxes[static_cast<std::size_t>(k)].log_mass(kFewMassPoints, target).value;
  }
  return checked_log_mass(log_sum_exp(log_shares));
}

bool TruncatedMixture::is_diagonal() const {
  std::call_once(kept_->diagonal_made,
                 [this] { kept_->is_diagonal = all_diagonal(mixture_, support_); });
  return kept_->is_diagonal;
}

const WeightedSamples& TruncatedMixture::points() const {
  std::call_once(kept_->points_made, [this] { kept_->points.emplace(truncated_points(*this)); });
  return *kept_->points;
}

double TruncatedMixture::log_prob(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  check_rows(z.size(), dim(), "TruncatedMixture: z");
  if (!support_.contains(z)) return -kInfinity;
  return mixture_.log_prob(z) - log_mass();
}

Eigen::VectorXd TruncatedMixture::shares() const {
  return exp_each((mixture_.log_weights() + log_component_masses()).array() - log_mass());
}

Eigen::MatrixXd TruncatedMixture::sample(Index count, Stream& stream) const {
  if (support_.is_everywhere()) return mixture_.sample(count, stream);
  const Eigen::VectorXd weights = shares();
  const Eigen::VectorXd& log_masses = log_component_masses();
  const std::vector<BoxGaussian> boxes = box_components(mixture_, support_);
  Eigen::MatrixXd points(dim(), count);
  for (Index n = 0; n < count; ++n) {
    check_interruption();
    const Index k = draw_index(weights, stream);
    points.col(n) = boxes[static_cast<std::size_t>(k)].sample(log_masses(k), stream);
  }
  if (support_.is_box()) return points;
  points = solve_square_columns(support_.to_box(), points);
  for (Index n = 0; n < count; ++n) points.col(n) = bring_inside(support_, points.col(n));
  return points;
}

Eigen::MatrixXd TruncatedMixture::sample_without_masses(Index count, Stream& stream) const {
  if (support_.is_everywhere() || is_diagonal()) return sample(count, stream);
  const Eigen::VectorXd weights = mixture_.weights();
  Eigen::MatrixXd points(dim(), count);
  Index found = 0;
  for (Index tries = 0; found < count && tries < kTriesPerSample * count + kMoreTries; ++tries) {
    check_interruption();
    points.col(found) = mixture_.component(draw_index(weights, stream)).sample(stream);
    if (support_.contains(points.col(found))) ++found;
  }
  // Whether a draw is kept does not depend on the others: those found stay.
  if (found < count) points.rightCols(count - found) = sample(count - found, stream);
  return points;
}

Eigen::VectorXd TruncatedMixture::mean() const {
  if (log_mass() > -kNothingCutOff) return mixture_.mean();
  if (!is_diagonal()) return points().mean();
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(dim());
  const Eigen::VectorXd weights = shares();
  for (Index i = 0; i < dim(); ++i) {
    for (const Slice& part : slices(*this, weights, i)) {
      mean(i) += part.share *
                 (part.mean + part.std * truncated_normal_moments(part.lower, part.upper).mean);
    }
  }
  return support_.is_box() ? mean : solve_square(support_.to_box(), mean);
}

Eigen::MatrixXd TruncatedMixture::covariance() const {
  if (log_mass() > -kNothingCutOff) return mixture_.covariance();
  if (!is_diagonal()) return points().covariance();
  // In box coordinates: sum_k share_k (diag(variances_k) + offset_k offset_k^T).
  const Eigen::VectorXd weights = shares();
  Index used = 0;
  Eigen::MatrixXd means(dim(), weights.size()), variances(dim(), weights.size());
  Eigen::VectorXd shares_used(weights.size());
  for (Index i = 0; i < dim(); ++i) {
    used = 0;
    for (const Slice& part : slices(*this, weights, i)) {
      const TruncatedNormalMoments moments = truncated_normal_moments(part.lower, part.upper);
      means(i, used) = part.mean + part.std * moments.mean;
      variances(i, used) = part.std * part.std * moments.variance;
      shares_used(used++) = part.share;
    }
  }
  const Eigen::VectorXd centre = means.leftCols(used) * shares_used.head(used);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(dim(), dim());
  for (Index k = 0; k < used; ++k) {
    const Eigen::VectorXd offset = means.col(k) - centre;
    covariance += shares_used(k) * (offset * offset.transpose());
    covariance.diagonal() += shares_used(k) * variances.col(k);
  }
  if (support_.is_box()) return covariance;
  const Eigen::MatrixXd inverse = inverse_of_square(support_.to_box());
  return inverse * covariance * inverse.transpose();
}

double TruncatedMixture::quantile(Index dim, double probability) const {
  check_dimension(dim, this->dim());
  check_probability(probability);
  const double low = support_.is_box() ? support_.lower()(dim) : -kInfinity;
  const double high = support_.is_box() ? support_.upper()(dim) : kInfinity;
  if (support_.is_box() && probability == 0) return low;
  if (support_.is_box() && probability == 1) return high;
  if (log_mass() > -kNothingCutOff) {
    return std::clamp(mixture_.quantile(dim, probability), low, high);
  }
  if (support_.is_box() && is_diagonal()) {
    return std::clamp(quantile_of(slices(*this, shares(), dim), probability), low, high);
  }
  return points().quantile(dim, probability);
}

}  // namespace epsfree
