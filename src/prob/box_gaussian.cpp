#include "prob/box_gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "prob/log_sum_exp.hpp"
#include "prob/normal.hpp"
#include "prob/triangular.hpp"

namespace epsfree {
namespace {

constexpr Index kNumShifts = 10;
constexpr Index kFirstPoints = 128;
constexpr Index kMostPoints = 4096;
constexpr double kTargetRelativeError = 1e-4;
// A mass that differs from one by less than this is one.
constexpr double kNothingCutOff = 1e-16;
// Correlations below this are rounding.
constexpr double kNoCorrelation = 1e-14;

constexpr int kMostTries = 2000;
constexpr double kHopelessAcceptance = 0.01;
constexpr int kNumCandidates = 64;
constexpr int kNumSweeps = 50;

bool is_prime(Index n) {
  for (Index d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

Eigen::VectorXd draw_uniforms(Index dim, Stream& stream) {
  Eigen::VectorXd u(dim);
  for (Index i = 0; i < dim; ++i) u(i) = stream.uniform();
  return u;
}

bool uncorrelated(const Eigen::MatrixXd& covariance, const std::vector<Index>& dims) {
  for (const Index i : dims) {
    for (const Index j : dims) {
      const double scale = std::sqrt(covariance(i, i)) * std::sqrt(covariance(j, j));
      if (i != j && std::abs(covariance(i, j)) > kNoCorrelation * scale) return false;
    }
  }
  return true;
}

}  // namespace

BoxGaussian::BoxGaussian(const Gaussian& gaussian, const Eigen::VectorXd& lower,
                         const Eigen::VectorXd& upper)
    : gaussian_(gaussian), lower_(lower), upper_(upper) {
  const Eigen::MatrixXd R = inverse_of_upper(gaussian.precision_factor());
  choose_order(R * R.transpose());
  // S = R R^T; the factor of the reordered S from the reordered rows of R.
  L_ = upper_factor(R(order_, Eigen::all).transpose()).transpose();
  a_ = (lower - gaussian.mean())(order_);
  b_ = (upper - gaussian.mean())(order_);
}

void BoxGaussian::choose_order(const Eigen::MatrixXd& covariance) {
  std::vector<Index> unbounded, all;
  for (Index i = 0; i < dim(); ++i) {
    all.push_back(i);
    const bool bounded = lower_(i) != -kInfinity || upper_(i) != kInfinity;
    (bounded ? order_ : unbounded).push_back(i);
  }
  num_bounded_ = static_cast<Index>(order_.size());
  independent_ = uncorrelated(covariance, order_);
  diagonal_ = uncorrelated(covariance, all);
  order_.insert(order_.end(), unbounded.begin(), unbounded.end());
  if (independent_) return;

  // A Cholesky factorisation that takes, at each step, the dimension with the smallest mass given
  // the expected values of those before.
  const Eigen::VectorXd& mean = gaussian_.mean();
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(dim(), num_bounded_);  // rows by original index
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(num_bounded_);
  for (Index step = 0; step < num_bounded_; ++step) {
    Index best = step;
    double best_log_mass = kInfinity, best_lower = 0, best_upper = 0, best_std = 1;
    for (Index candidate = step; candidate < num_bounded_; ++candidate) {
      const Index i = order_[static_cast<std::size_t>(candidate)];
      const double explained = L.row(i).head(step).squaredNorm();
      const double std =
          std::sqrt(std::max(covariance(i, i) - explained, 1e-14 * covariance(i, i)));
      const double centre = mean(i) + L.row(i).head(step).dot(expected.head(step));
      const double low = (lower_(i) - centre) / std;
      const double high = (upper_(i) - centre) / std;
      const double log_mass = log_normal_interval(low, high);
      if (log_mass < best_log_mass) {
        best = candidate;
        best_log_mass = log_mass;
        best_lower = low;
        best_upper = high;
        best_std = std;
      }
    }
    std::swap(order_[static_cast<std::size_t>(step)], order_[static_cast<std::size_t>(best)]);
    const Index pivot = order_[static_cast<std::size_t>(step)];
    expected(step) = truncated_normal_moments(best_lower, best_upper).mean;
    if (!std::isfinite(expected(step))) expected(step) = 0;
    for (Index later = step; later < num_bounded_; ++later) {
      const Index i = order_[static_cast<std::size_t>(later)];
      L(i, step) =
          (covariance(i, pivot) - L.row(i).head(step).dot(L.row(pivot).head(step))) / best_std;
    }
  }
}

double BoxGaussian::walk(const Eigen::VectorXd& uniforms, Eigen::VectorXd& y) const {
  double log_weight = 0;
  Eigen::VectorXd x(dim());
  y.resize(dim());
  for (Index i = 0; i < dim(); ++i) {
    const double pull = L_.row(i).head(i).dot(x.head(i));
    const Index place = order_[static_cast<std::size_t>(i)];
    if (i >= num_bounded_) {
      x(i) = normal_quantile(uniforms(i));
    } else {
      const double low = (a_(i) - pull) / L_(i, i);
      const double high = (b_(i) - pull) / L_(i, i);
      log_weight += log_normal_interval(low, high);
      x(i) = truncated_normal_quantile(low, high, uniforms(i));
    }
    y(place) =
        std::clamp(gaussian_.mean()(place) + pull + L_(i, i) * x(i), lower_(place), upper_(place));
  }
  return log_weight;
}

BoxGaussian::LogMass BoxGaussian::log_mass() const {
  double cut_off = 0;
  double log_product = 0;
  for (Index i = 0; i < num_bounded_; ++i) {
    const double std = L_.row(i).head(i + 1).norm();
    cut_off += normal_cdf(a_(i) / std) + normal_cdf(-b_(i) / std);
    log_product += log_normal_interval(a_(i) / std, b_(i) / std);
  }
  if (cut_off < kNothingCutOff) return {0, 0};
  if (independent_) return {log_product, 0};

  Stream stream(0, Key{.purpose = Purpose::normaliser});
  std::vector<Lattice> lattices;
  for (Index s = 0; s < kNumShifts; ++s) lattices.emplace_back(num_bounded_, stream);
  Eigen::VectorXd log_sums = Eigen::VectorXd::Constant(kNumShifts, -kInfinity);
  Eigen::VectorXd x(num_bounded_), u(num_bounded_);
  LogMass result{-kInfinity, 0};
  for (Index done = 0, points = kFirstPoints; points <= kMostPoints; done = points, points *= 2) {
    for (Index s = 0; s < kNumShifts; ++s) {
      Eigen::VectorXd log_weights(points - done + 1);
      for (Index n = done; n < points; ++n) {
        lattices[static_cast<std::size_t>(s)].point(n, u);
        double log_weight = 0;
        for (Index i = 0; i < num_bounded_; ++i) {
          const double pull = L_.row(i).head(i).dot(x.head(i));
          const double low = (a_(i) - pull) / L_(i, i);
          const double high = (b_(i) - pull) / L_(i, i);
          log_weight += log_normal_interval(low, high);
          if (i + 1 < num_bounded_) x(i) = truncated_normal_quantile(low, high, u(i));
        }
        log_weights(n - done) = std::isnan(log_weight) ? -kInfinity : log_weight;
      }
      log_weights(points - done) = log_sums(s);
      log_sums(s) = log_sum_exp(log_weights);
    }
    const double log_count = std::log(static_cast<double>(points));
    const double log_total = log_sum_exp(log_sums);
    if (log_total == -kInfinity) continue;
    result.value = std::min(0.0, log_total - log_count - std::log(double{kNumShifts}));
    const Eigen::ArrayXd relative = (log_sums.array() - log_count - result.value).exp();
    result.relative_error =
        std::sqrt((relative - 1).square().sum() / double{kNumShifts * (kNumShifts - 1)});
    if (result.relative_error < kTargetRelativeError) break;
  }
  return result;
}

Eigen::VectorXd BoxGaussian::sample(double log_mass, Stream& stream) const {
  Eigen::VectorXd y(dim());
  if (independent_) {
    walk(draw_uniforms(dim(), stream), y);
    return y;
  }
  // The first mass is the same for every point; the others are at most one. So the weight over
  // the first mass is a probability of acceptance.
  const double log_first = log_normal_interval(a_(0) / L_(0, 0), b_(0) / L_(0, 0));
  if (log_mass - log_first > std::log(kHopelessAcceptance)) {
    for (int i = 0; i < kMostTries; ++i) {
      const double log_weight = walk(draw_uniforms(dim(), stream), y);
      if (std::log(stream.uniform()) < log_weight - log_first) return y;
    }
  }
  Eigen::MatrixXd candidates(dim(), kNumCandidates);
  Eigen::VectorXd log_weights(kNumCandidates);
  for (Index c = 0; c < kNumCandidates; ++c) {
    const double log_weight = walk(draw_uniforms(dim(), stream), y);
    candidates.col(c) = y;
    log_weights(c) = std::isnan(log_weight) ? -kInfinity : log_weight;
  }
  const double top = log_weights.maxCoeff();
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(kNumCandidates);
  if (top > -kInfinity) weights = (log_weights.array() - top).exp();
  y = candidates.col(draw_index(weights, stream));
  for (int sweep = 0; sweep < kNumSweeps; ++sweep) gibbs_sweep(y, stream);
  return y;
}

void BoxGaussian::gibbs_sweep(Eigen::VectorXd& y, Stream& stream) const {
  const Eigen::MatrixXd& U = gaussian_.precision_factor();
  Eigen::VectorXd whitened = U.triangularView<Eigen::Upper>() * (y - gaussian_.mean());
  for (Index i = 0; i < dim(); ++i) {
    // |whitened + (new - y_i) U_i|^2 is quadratic in the new value of y_i.
    const double precision = U.col(i).squaredNorm();
    const double std = 1 / std::sqrt(precision);
    const double centre = y(i) - U.col(i).dot(whitened) / precision;
    const double x = truncated_normal_quantile((lower_(i) - centre) / std,
                                               (upper_(i) - centre) / std, stream.uniform());
    const double moved = std::clamp(centre + std * x, lower_(i), upper_(i));
    whitened += (moved - y(i)) * U.col(i);
    y(i) = moved;
  }
}

Lattice::Lattice(Index dim, Stream& stream) : generators_(dim), shift_(draw_uniforms(dim, stream)) {
  Index prime = 2;
  for (Index j = 0; j < dim; ++j, ++prime) {
    while (!is_prime(prime)) ++prime;
    const double root = std::sqrt(static_cast<double>(prime));
    generators_(j) = root - std::floor(root);
  }
}

void Lattice::point(Index index, Eigen::VectorXd& uniforms) const {
  constexpr double kSmallest = 0x1p-53;
  uniforms.resize(shift_.size());
  for (Index j = 0; j < shift_.size(); ++j) {
    const double position = static_cast<double>(index) * generators_(j) + shift_(j);
    const double fraction = position - std::floor(position);
    uniforms(j) = std::clamp(std::abs(2 * fraction - 1), kSmallest, 1 - kSmallest);
  }
}

}  // namespace epsfree
