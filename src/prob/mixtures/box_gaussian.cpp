#include "prob/mixtures/box_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/normal.hpp"

namespace epsfree {
namespace {

constexpr Index kNumShifts = 10;
constexpr Index kFirstPoints = 128;
constexpr Index kMostPoints = 4096;
constexpr double kTargetRelativeError = 1e-4;
// A mass that differs from one by less than this is one.
constexpr double kNoMassCutOff = 1e-16;
// Correlations below this are rounding.
constexpr double kNoCorrelation = 1e-14;

constexpr int kMostNewtonSteps = 50;
// The saddle point is known to about this in its value; a bound must not be too low.
constexpr double kBoundSlack = 1e-6;
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

bool is_diagonal(const Gaussian& gaussian) {
  std::vector<Index> all(static_cast<std::size_t>(gaussian.dim()));
  std::iota(all.begin(), all.end(), Index{0});
  return uncorrelated(gaussian.covariance(), all);
}

BoxGaussian::BoxGaussian(const Gaussian& gaussian, const Eigen::VectorXd& lower,
                         const Eigen::VectorXd& upper)
    : gaussian_(gaussian), lower_(lower), upper_(upper) {
  const Eigen::MatrixXd R = inverse_of_upper(gaussian.precision_factor());
  choose_order(R * R.transpose());
  // S = R R^T; the factor of the reordered S from the reordered rows of R.
  L_ = upper_factor(R(order_, Eigen::all).transpose()).transpose();
  a_ = (lower - gaussian.mean())(order_);
  b_ = (upper - gaussian.mean())(order_);
  choose_tilt();
}

void BoxGaussian::choose_order(const Eigen::MatrixXd& covariance) {
  std::vector<Index> unbounded;
  for (Index i = 0; i < dim(); ++i) {
    const bool bounded = lower_(i) != -kInfinity || upper_(i) != kInfinity;
    (bounded ? order_ : unbounded).push_back(i);
  }
  num_bounded_ = static_cast<Index>(order_.size());
  independent_ = uncorrelated(covariance, order_);
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

void BoxGaussian::choose_tilt() {
  tilt_ = Eigen::VectorXd::Zero(num_bounded_);
  if (num_bounded_ == 0) return;
  log_bound_ = log_normal_interval(a_(0) / L_(0, 0), b_(0) / L_(0, 0));
  if (independent_) return;
  // The saddle point of psi(x, mu) = sum_k mu_k^2 / 2 - x_k mu_k + log P_k, where P_k is the mass
  // of dimension k's conditional interval shifted by mu_k (Botev 2017, section 3): the largest
  // weight, made as small as the tilt can make it. Newton's method on the two gradients; the
  // derivative of log P_k by its bounds' shift is minus the truncated normal's mean, the next is
  // one minus its variance. The last x and mu are not needed and zero.
  const Index n = num_bounded_ - 1;
  Eigen::MatrixXd D = L_.topLeftCorner(n + 1, n + 1).triangularView<Eigen::StrictlyLower>();
  D = L_.diagonal().head(n + 1).cwiseInverse().asDiagonal() * D;
  const Eigen::VectorXd low = a_.head(n + 1).cwiseQuotient(L_.diagonal().head(n + 1));
  const Eigen::VectorXd high = b_.head(n + 1).cwiseQuotient(L_.diagonal().head(n + 1));
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n + 1), mu = Eigen::VectorXd::Zero(n + 1);
  Eigen::VectorXd mean(n + 1), rest(n + 1);
  for (int iteration = 0; iteration < kMostNewtonSteps; ++iteration) {
    const Eigen::VectorXd offset = D * x + mu;
    double psi = 0;
    for (Index k = 0; k <= n; ++k) {
      const TruncatedNormalMoments m =
          truncated_normal_moments(low(k) - offset(k), high(k) - offset(k));
      mean(k) = m.mean;
      rest(k) = 1 - m.variance;
      psi += 0.5 * mu(k) * mu(k) - x(k) * mu(k) + m.log_mass;
    }
    const Eigen::MatrixXd E = rest.asDiagonal() * D;
    Eigen::VectorXd gradient(2 * n);
    gradient << (D.transpose() * mean - mu).head(n), (mu - x + mean).head(n);
    if (!gradient.allFinite() || !std::isfinite(psi)) return;
    if (gradient.norm() < 1e-9 * (1 + x.norm())) {
      tilt_ = mu;
      log_bound_ = psi + kBoundSlack;
      return;
    }
    Eigen::MatrixXd jacobian(2 * n, 2 * n);
    jacobian.topLeftCorner(n, n) = -(D.transpose() * E).topLeftCorner(n, n);
    jacobian.topRightCorner(n, n) = -I - E.transpose().topLeftCorner(n, n);
    jacobian.bottomLeftCorner(n, n) = -I - E.topLeftCorner(n, n);
    jacobian.bottomRightCorner(n, n) = I;
    jacobian.bottomRightCorner(n, n).diagonal() -= rest.head(n);
    const Eigen::VectorXd move = solve_square(jacobian, gradient);
    x.head(n) -= move.head(n);
    mu.head(n) -= move.tail(n);
  }
}

double BoxGaussian::step(Index i, double uniform, const Eigen::VectorXd& x,
                         double& log_weight) const {
  if (i >= num_bounded_) return normal_quantile(uniform);
  const double pull = L_.row(i).head(i).dot(x.head(i));
  const double low = (a_(i) - pull) / L_(i, i) - tilt_(i);
  const double high = (b_(i) - pull) / L_(i, i) - tilt_(i);
  const double value = tilt_(i) + truncated_normal_quantile(low, high, uniform);
  log_weight += log_normal_interval(low, high) + tilt_(i) * (0.5 * tilt_(i) - value);
  return value;
}

double BoxGaussian::walk(const Eigen::VectorXd& uniforms, Eigen::VectorXd& y) const {
  double log_weight = 0;
  Eigen::VectorXd x(dim());
  y.resize(dim());
  for (Index i = 0; i < dim(); ++i) {
    x(i) = step(i, uniforms(i), x, log_weight);
    const Index place = order_[static_cast<std::size_t>(i)];
    y(place) = std::clamp(gaussian_.mean()(place) + L_.row(i).head(i + 1).dot(x.head(i + 1)),
                          lower_(place), upper_(place));
  }
  return std::isnan(log_weight) ? -kInfinity : log_weight;
}

BoxGaussian::LogMass BoxGaussian::log_mass() const {
  return log_mass(kFirstPoints, kTargetRelativeError);
}

BoxGaussian::LogMass BoxGaussian::log_mass(Index first_points, double target) const {
  double cut_off = 0;
  double log_product = 0;
  for (Index i = 0; i < num_bounded_; ++i) {
    const double std = L_.row(i).head(i + 1).norm();
    cut_off += normal_cdf(a_(i) / std) + normal_cdf(-b_(i) / std);
    log_product += log_normal_interval(a_(i) / std, b_(i) / std);
  }
  if (cut_off < kNoMassCutOff) return {0, 0};
  if (independent_) return {log_product, 0};

  Stream stream(0, Key{.purpose = Purpose::normaliser});
  std::vector<Lattice> lattices;
  for (Index s = 0; s < kNumShifts; ++s) lattices.emplace_back(num_bounded_, stream);
  Eigen::VectorXd log_sums = Eigen::VectorXd::Constant(kNumShifts, -kInfinity);
  Eigen::VectorXd x(num_bounded_), u(num_bounded_);
  LogMass result{-kInfinity, 0};
  for (Index done = 0, points = first_points; points <= kMostPoints; done = points, points *= 2) {
    for (Index s = 0; s < kNumShifts; ++s) {
      check_interruption();
      Eigen::VectorXd log_weights(points - done + 1);
      for (Index n = done; n < points; ++n) {
        lattices[static_cast<std::size_t>(s)].point(n, u);
        double log_weight = 0;
        for (Index i = 0; i < num_bounded_; ++i) x(i) = step(i, u(i), x, log_weight);
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
    if (result.relative_error < target) break;
  }
  return result;
}

Eigen::VectorXd BoxGaussian::sample(double log_mass, Stream& stream) const {
  Eigen::VectorXd y(dim());
  if (independent_) {
    walk(draw_uniforms(dim(), stream), y);
    return y;
  }
  if (log_mass - log_bound_ > std::log(kHopelessAcceptance)) {
    for (int i = 0; i < kMostTries; ++i) {
      const double log_weight = walk(draw_uniforms(dim(), stream), y);
      if (std::log(stream.uniform()) < log_weight - log_bound_) return y;
    }
  }
  Eigen::MatrixXd candidates(dim(), kNumCandidates);
  Eigen::VectorXd log_weights(kNumCandidates);
  for (Index c = 0; c < kNumCandidates; ++c) {
    log_weights(c) = walk(draw_uniforms(dim(), stream), y);
    candidates.col(c) = y;
  }
  const double top = log_weights.maxCoeff();
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(kNumCandidates);
  if (top > -kInfinity) weights = exp_each(log_weights.array() - top);
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
