#include "prob/mixtures/mixture_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

/// log det of a symmetric matrix, which is overwritten by its Cholesky factor; NaN where it is not
/// positive definite. Matrices are small and there are thousands of them: no memory is taken.
double log_det_in_place(Eigen::MatrixXd& A) {
  // The logarithm of a product costs less than the sum of logarithms; these are the safe ends.
  constexpr double kSmall = 1e-200, kLarge = 1e200;
  double sum = 0, product = 1;
  for (Index j = 0; j < A.cols(); ++j) {
    double pivot = A(j, j);
    for (Index k = 0; k < j; ++k) pivot -= A(j, k) * A(j, k);
    if (!(pivot > 0)) return std::numeric_limits<double>::quiet_NaN();
    product *= pivot;
    if (product < kSmall || product > kLarge) {
      sum += std::log(product);
      product = 1;
    }
    const double inverse = 1 / std::sqrt(pivot);
    for (Index i = j + 1; i < A.rows(); ++i) {
      double value = A(i, j);
      for (Index k = 0; k < j; ++k) value -= A(i, k) * A(j, k);
      A(i, j) = value * inverse;
    }
  }
  return sum + std::log(product);
}

/// One or several components as one Gaussian, in coordinates in which the whole mixture has mean
/// zero and covariance one.
struct Part {
  double weight;
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
  double log_det;
  Index single;  ///< the component that this is; -1 once it is several
  bool gone = false;
};

/// The components that count, heaviest first, with their shares as weights.
GaussianMixture heaviest(const GaussianMixture& mixture, const ReductionOptions& options,
                         const LogImportance& log_importance) {
  Eigen::VectorXd log_shares = mixture.log_weights();
  if (log_importance) {
    for (Index k = 0; k < log_shares.size(); ++k) {
      log_shares(k) += log_importance(mixture.component(k));
    }
  }
  const double least = log_shares.maxCoeff() + std::log(options.negligible_share);
  std::vector<Index> kept;
  for (Index k = 0; k < log_shares.size(); ++k) {
    if (log_shares(k) > least) kept.push_back(k);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [&](Index a, Index b) { return log_shares(a) > log_shares(b); });
  if (static_cast<Index>(kept.size()) > options.most_considered) {
    kept.resize(static_cast<std::size_t>(options.most_considered));
  }
  std::vector<Gaussian> components;
  for (const Index k : kept) components.push_back(mixture.component(k));
  return GaussianMixture(std::move(components), log_shares(kept));
}

class Reduction {
 public:
  explicit Reduction(const GaussianMixture& mixture)
      : mixture_(mixture), whole_(mixture.project()), scratch_(mixture.dim(), mixture.dim()) {
    const Eigen::MatrixXd& U = whole_.precision_factor();
    for (Index k = 0; k < mixture.num_components(); ++k) {
      const Gaussian& component = mixture.component(k);
      const Eigen::MatrixXd factor =
          U.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(component.precision_factor());
      const Eigen::MatrixXd R = inverse_of_upper(factor);
      parts_.push_back({std::exp(mixture.log_weights()(k)),
                        U.triangularView<Eigen::Upper>() * (component.mean() - whole_.mean()),
                        R * R.transpose(), -2 * factor.diagonal().array().log().sum(), k});
    }
    const Index n = mixture.num_components();
    costs_ = Eigen::MatrixXd::Constant(n, n, kInfinity);
    cheapest_.assign(parts_.size(), 0);
    for (Index i = 0; i < n; ++i) {
      check_interruption();
      for (Index j = 0; j < i; ++j) costs_(i, j) = costs_(j, i) = cost(i, j);
    }
    for (Index i = 0; i < n; ++i) find_cheapest(i);
  }

  void merge(Index most_components, double free_divergence) {
    for (Index left = mixture_.num_components(); left > 1; --left) {
      check_interruption();
      Index best = -1;
      for (Index i = 0; i < costs_.rows(); ++i) {
        if (part(i).gone) continue;
        if (best < 0 || own_cost(i) < own_cost(best)) best = i;
      }
      const Index other = cheapest_[static_cast<std::size_t>(best)];
      const double bound = own_cost(best);
      if (!(bound < kInfinity)) return;
      // For two that lie close the bound grows as the square of their distance, the divergence as
      // its fourth power: it is about the square of the bound per weight.
      const double weight = part(best).weight + part(other).weight;
      const bool is_free = bound * bound <= free_divergence * weight;
      if (left <= most_components && !is_free) return;
      join(best, other);
    }
  }

  GaussianMixture result() const {
    std::vector<Gaussian> components;
    std::vector<double> log_weights;
    for (const Part& each : parts_) {
      if (each.gone) continue;
      log_weights.push_back(std::log(each.weight));
      if (each.single >= 0) {
        components.push_back(mixture_.component(each.single));
        continue;
      }
      const Eigen::MatrixXd& U = whole_.precision_factor();
      const Gaussian scaled = Gaussian::from_covariance(each.mean, each.covariance);
      components.push_back(Gaussian::from_precision_factor(
          whole_.mean() + U.triangularView<Eigen::Upper>().solve(each.mean),
          Eigen::MatrixXd((scaled.precision_factor() * U).triangularView<Eigen::Upper>())));
    }
    return GaussianMixture(std::move(components),
                           Eigen::Map<const Eigen::VectorXd>(
                               log_weights.data(), static_cast<Index>(log_weights.size())));
  }

 private:
  Part& part(Index i) { return parts_[static_cast<std::size_t>(i)]; }
  double own_cost(Index i) const { return costs_(i, cheapest_[static_cast<std::size_t>(i)]); }

  /// The covariance of both, into scratch_.
  void join_covariance(const Part& a, const Part& b) {
    const double weight = a.weight + b.weight;
    const double alpha = a.weight / weight, beta = b.weight / weight;
    for (Index j = 0; j < scratch_.cols(); ++j) {
      const double offset = alpha * beta * (a.mean(j) - b.mean(j));
      for (Index i = j; i < scratch_.rows(); ++i) {
        scratch_(i, j) = alpha * a.covariance(i, j) + beta * b.covariance(i, j) +
                         offset * (a.mean(i) - b.mean(i));
      }
    }
  }

  /// Runnalls' (2007) bound of the divergence from the mixture to that with both merged.
  double cost(Index i, Index j) {
    const Part &a = part(i), &b = part(j);
    join_covariance(a, b);
    const double joint = log_det_in_place(scratch_);
    const double bound =
        0.5 * ((a.weight + b.weight) * joint - a.weight * a.log_det - b.weight * b.log_det);
    return std::isnan(bound) ? kInfinity : std::max(bound, 0.0);
  }

  void find_cheapest(Index i) {
    Index best;
    costs_.col(i).minCoeff(&best);
    cheapest_[static_cast<std::size_t>(i)] = best;
  }

  void join(Index i, Index j) {
    Part &a = part(i), &b = part(j);
    join_covariance(a, b);
    a.covariance = scratch_.selfadjointView<Eigen::Lower>();
    const double weight = a.weight + b.weight;
    a.mean = (a.weight * a.mean + b.weight * b.mean) / weight;
    a.weight = weight;
    a.log_det = log_det_in_place(scratch_);
    a.single = -1;
    b.gone = true;
    for (Index k = 0; k < costs_.rows(); ++k) {
      costs_(k, j) = costs_(j, k) = kInfinity;
      if (k != i && !part(k).gone) costs_(k, i) = costs_(i, k) = cost(i, k);
    }
    find_cheapest(i);
    for (Index k = 0; k < costs_.rows(); ++k) {
      if (k == i || part(k).gone) continue;
      const Index before = cheapest_[static_cast<std::size_t>(k)];
      if (before == i || before == j) find_cheapest(k);
      if (costs_(i, k) < own_cost(k)) cheapest_[static_cast<std::size_t>(k)] = i;
    }
  }

  const GaussianMixture& mixture_;
  Gaussian whole_;
  std::vector<Part> parts_;
  Eigen::MatrixXd costs_;
  std::vector<Index> cheapest_;  // the best partner of each
  Eigen::MatrixXd scratch_;
};

}  // namespace

GaussianMixture reduce_components(const GaussianMixture& mixture, const ReductionOptions& options,
                                  const LogImportance& log_importance) {
  const GaussianMixture shares = heaviest(mixture, options, log_importance);
  Reduction reduction(shares);
  reduction.merge(options.most_components, options.free_divergence);
  const GaussianMixture reduced = reduction.result();
  if (!log_importance) return reduced;
  Eigen::VectorXd log_weights = reduced.log_weights();
  for (Index k = 0; k < log_weights.size(); ++k) {
    log_weights(k) -= log_importance(reduced.component(k));
  }
  return GaussianMixture(reduced.components(), std::move(log_weights));
}

}  // namespace epsfree
