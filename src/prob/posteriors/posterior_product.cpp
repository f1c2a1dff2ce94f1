// The posterior given several data sets: the product of their posteriors, with the prior counted
// once.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/mixtures/mixture_reduction.hpp"
#include "prob/normal.hpp"

namespace epsfree {
namespace {

// Products of up to this many components stay as they are.
constexpr Index kMostExact = 512;
// Beyond that they are reduced to this many, or to fewer for more than kMany factors.
constexpr Index kMostComponents = 32, kFewComponents = 12;
constexpr std::size_t kMany = 100;
// Draws that the error is estimated from.
constexpr Index kNumProductDraws = 2048;
// Half of them come from the mixture with its deviations multiplied by this, so that mass which
// merging has lost beside it is found.
constexpr double kWiden = 2;
constexpr double kRoughError = 0.01;  // relative, of the masses on the support
// The mixture is fitted again to the weighted draws while its error is larger than this.
constexpr double kGoodEnough = 0.01;
constexpr int kMostFits = 4;
// A component is fitted again if it has at least this many effective draws per dimension.
constexpr double kDrawsPerDimension = 10;
constexpr std::uint64_t kSeed = 1;  // fixed: the same posteriors give the same product

const GaussianMixture& mixture_of(const Posterior& posterior) {
  return posterior.mixture()->mixture();
}

/// Components with weights that need not sum to one.
struct Terms {
  std::vector<Gaussian> components;
  std::vector<double> log_weights;

  void add(const GaussianMixture& mixture, double log_scale) {
    for (Index k = 0; k < mixture.num_components(); ++k) {
      components.push_back(mixture.component(k));
      log_weights.push_back(mixture.log_weights()(k) + log_scale);
    }
  }
  Eigen::Map<const Eigen::VectorXd> weights() const {
    return {log_weights.data(), static_cast<Index>(log_weights.size())};
  }
  GaussianMixture mixture() const {
    if (components.empty()) {
      throw Error(ErrorKind::input,
                  "combine: no pair of components, divided by the prior, is a proper density");
    }
    return GaussianMixture(components, weights());
  }
};

/// Adds component i of `left` times each of `right`, divided by the prior.
void add_products(const GaussianMixture& left, Index i, const GaussianMixture& right,
                  const LogQuadratic& prior, Terms& terms) {
  const LogQuadratic flat = LogQuadratic::flat(left.dim());
  for (Index j = 0; j < right.num_components(); ++j) {
    const ScaledGaussian both = product(left.component(i), right.component(j));
    const std::optional<ScaledGaussian> part = reweight(both.gaussian, flat, prior);
    if (!part) continue;
    terms.components.push_back(part->gaussian);
    terms.log_weights.push_back(left.log_weights()(i) + right.log_weights()(j) + both.log_scale +
                                part->log_scale);
  }
}

/// left * right / prior, every pair of components.
GaussianMixture multiply(const GaussianMixture& left, const GaussianMixture& right,
                         const LogQuadratic& prior) {
  Terms terms;
  for (Index i = 0; i < left.num_components(); ++i) add_products(left, i, right, prior, terms);
  return terms.mixture();
}

/// The same with the products of one component of `left` merged where that costs next to nothing:
/// they lie close where `left` is narrower than `right`, as soon as it stands for several data
/// sets.
GaussianMixture multiply_and_merge(const GaussianMixture& left, const GaussianMixture& right,
                                   const LogQuadratic& prior, const ReductionOptions& options) {
  Terms all;
  for (Index i = 0; i < left.num_components(); ++i) {
    Terms own;
    add_products(left, i, right, prior, own);
    if (own.components.empty()) continue;
    all.add(reduce_components(own.mixture(), options), log_sum_exp(own.weights()));
  }
  return all.mixture();
}

/// Roughly the log mass of a Gaussian on a support: as if its dimensions were independent there.
double rough_log_mass(const Gaussian& gaussian, const Support& support) {
  const Eigen::MatrixXd W = support.to_box();
  const Eigen::VectorXd mean = W * gaussian.mean();
  const Eigen::VectorXd std = (W * inverse_of_upper(gaussian.precision_factor())).rowwise().norm();
  double sum = 0;
  for (Index i = 0; i < mean.size(); ++i) {
    sum += log_normal_interval((support.lower()(i) - mean(i)) / std(i),
                               (support.upper()(i) - mean(i)) / std(i));
  }
  return sum;
}

/// The components' standard deviations multiplied by `factor`.
GaussianMixture widened(const GaussianMixture& mixture, double factor) {
  std::vector<Gaussian> components;
  for (const Gaussian& each : mixture.components()) {
    components.push_back(
        Gaussian::from_precision_factor(each.mean(), each.precision_factor() / factor));
  }
  return GaussianMixture(std::move(components), mixture.log_weights());
}

/// A mixture that stands for a product, with weighted draws and what they say of its error.
struct Candidate {
  GaussianMixture mixture;
  Eigen::MatrixXd draws;
  Eigen::VectorXd weights;  ///< weight of each draw under the exact product; they sum to one
  double total_variation = 0, divergence = 0;
};

class Product {
 public:
  explicit Product(std::span<const PosteriorPtr> posteriors)
      : posteriors_(posteriors),
        prior_(posteriors.front()->prior()),
        support_(prior_.coordinate_support()),
        divisor_(prior_.coordinate_log_density()),
        stream_(kSeed, {.purpose = Purpose::importance, .round = 1}) {}

  CombinedPosterior combined() {
    GaussianMixture running = mixture_of(*posteriors_.front());
    bool is_exact = true;
    const LogImportance mass =
        support_.is_everywhere() ? LogImportance{} : [this](const Gaussian& gaussian) {
          return rough_log_mass(gaussian, support_);
        };
    // The more data sets there are, the less each shapes the product, and the more often it is
    // reduced.
    const bool many = posteriors_.size() > kMany;
    const ReductionOptions options{.most_components = many ? kFewComponents : kMostComponents};
    for (const PosteriorPtr& next : posteriors_.subspan(1)) {
      const GaussianMixture& factor = mixture_of(*next);
      if (is_exact && running.num_components() * factor.num_components() <= kMostExact) {
        running = multiply(running, factor, divisor_);
        continue;
      }
      is_exact = false;
      running = multiply_and_merge(running, factor, divisor_, options);
      running = reduce_components(running, options, mass);
    }
    if (is_exact) return {with(running), true, 0, 0};
    Candidate best = measured(running);
    for (int fit = 0; fit < kMostFits && !(best.total_variation <= kGoodEnough); ++fit) {
      Candidate next = measured(fitted(best));
      if (!(next.total_variation < best.total_variation)) break;
      best = std::move(next);
    }
    return {with(best.mixture), false, best.total_variation, best.divergence};
  }

 private:
  PosteriorPtr with(const GaussianMixture& mixture) const {
    return std::make_shared<MixturePosterior>(posteriors_.front()->prior_ptr(),
                                              posteriors_.front()->names(), mixture);
  }

  /// The log density of the exact product at points of the support, but for a constant.
  Eigen::VectorXd log_density(const Eigen::MatrixXd& z) const {
    // Seen from the prior's mean: a quadratic around a far-off zero, divided out a thousand times,
    // is a difference of huge numbers.
    const Eigen::VectorXd origin = prior_.coordinate_mean();
    const Eigen::MatrixXd centred = z.colwise() - origin;
    const Eigen::VectorXd shift = divisor_.shift - divisor_.precision * origin;
    const Eigen::RowVectorXd quadratic =
        (centred.cwiseProduct(divisor_.precision * centred)).colwise().sum();
    Eigen::VectorXd sum = (0.5 * quadratic - shift.transpose() * centred).transpose() *
                          static_cast<double>(posteriors_.size() - 1);
    for (const PosteriorPtr& each : posteriors_) {
      check_interruption();
      sum += mixture_of(*each).log_probs(z);
    }
    return sum;
  }

  Candidate measured(const GaussianMixture& mixture) {
    const TruncatedMixture narrow(mixture, support_), wide(widened(mixture, kWiden), support_);
    Candidate result{mixture, Eigen::MatrixXd(mixture.dim(), kNumProductDraws), {}};
    result.draws << narrow.sample_without_masses(kNumProductDraws / 2, stream_),
        wide.sample_without_masses(kNumProductDraws / 2, stream_);
    const Eigen::VectorXd own =
        mixture.log_probs(result.draws).array() - narrow.rough_log_mass(kRoughError);
    const Eigen::VectorXd other =
        wide.mixture().log_probs(result.draws).array() - wide.rough_log_mass(kRoughError);
    // The density that they were drawn from, then both densities over it, each normalised by its
    // own draws: equal ones have no error however few there are.
    const Eigen::ArrayXd top = own.cwiseMax(other);
    const Eigen::ArrayXd drawn =
        top + (0.5 * (own.array() - top).exp() + 0.5 * (other.array() - top).exp()).log();
    const auto normalised = [](const Eigen::ArrayXd& log_ratios) {
      Eigen::VectorXd ratios = exp_each(log_ratios - log_ratios.maxCoeff());
      return Eigen::VectorXd(ratios / ratios.sum());
    };
    const Eigen::VectorXd exact = log_density(result.draws);
    const Eigen::VectorXd mine = normalised(own.array() - drawn);
    result.weights = normalised(exact.array() - drawn);
    result.total_variation = 0.5 * (mine - result.weights).cwiseAbs().sum();
    for (Index n = 0; n < kNumProductDraws; ++n) {
      if (mine(n) > 0) result.divergence += mine(n) * std::log(mine(n) / result.weights(n));
    }
    return result;
  }

  /// A step of expectation maximisation on the weighted draws (population Monte Carlo, Cappe et al.
  /// 2008). Near the bounds it is rough: the caller compares.
  static GaussianMixture fitted(const Candidate& candidate) {
    const GaussianMixture& mixture = candidate.mixture;
    const Eigen::MatrixXd& z = candidate.draws;
    Eigen::MatrixXd shares(z.cols(), mixture.num_components());
    for (Index k = 0; k < mixture.num_components(); ++k) {
      shares.col(k) = mixture.component(k).log_probs(z).array() + mixture.log_weights()(k);
    }
    for (Index n = 0; n < z.cols(); ++n) {
      const double total = log_sum_exp(shares.row(n).transpose());
      shares.row(n) = (shares.row(n).array() - total).exp() * candidate.weights(n);
    }
    std::vector<Gaussian> components;
    std::vector<double> log_weights;
    for (Index k = 0; k < mixture.num_components(); ++k) {
      const double weight = shares.col(k).sum();
      if (!(weight > 0)) continue;
      const Eigen::VectorXd w = shares.col(k) / weight;
      log_weights.push_back(std::log(weight));
      components.push_back(mixture.component(k));
      if (!(1 / w.squaredNorm() > kDrawsPerDimension * static_cast<double>(z.rows()))) continue;
      const Eigen::VectorXd mean = z * w;
      const Eigen::MatrixXd centred = z.colwise() - mean;
      const Eigen::MatrixXd covariance = centred * w.asDiagonal() * centred.transpose();
      if (!Cholesky(covariance).succeeded()) continue;
      components.back() = Gaussian::from_covariance(mean, covariance);
    }
    return GaussianMixture(std::move(components),
                           Eigen::Map<const Eigen::VectorXd>(
                               log_weights.data(), static_cast<Index>(log_weights.size())));
  }

  std::span<const PosteriorPtr> posteriors_;
  const Prior& prior_;
  Support support_;
  LogQuadratic divisor_;
  Stream stream_;
};

}  // namespace

void require_combinable(const Posterior& a, const Posterior& b) {
  if (a.mixture() == nullptr || b.mixture() == nullptr) {
    throw Error(ErrorKind::input, "combine: both posteriors must be of kind \"mixture\", got \"" +
                                      a.kind() + "\" and \"" + b.kind() + "\"");
  }
  if (!same_prior(a.prior(), b.prior())) {
    throw Error(ErrorKind::input, "combine: the posteriors have different priors");
  }
}

PosteriorPtr combine(const Posterior& a, const Posterior& b) {
  require_combinable(a, b);
  return std::make_shared<MixturePosterior>(
      a.prior_ptr(), a.names(),
      multiply(mixture_of(a), mixture_of(b), a.prior().coordinate_log_density()));
}

CombinedPosterior combine_all(std::span<const PosteriorPtr> posteriors) {
  if (posteriors.empty()) {
    throw Error(ErrorKind::input, "combine: expected at least one posterior");
  }
  if (posteriors.size() == 1) return {posteriors.front()};
  for (const PosteriorPtr& each : posteriors.subspan(1)) {
    require_combinable(*posteriors.front(), *each);
  }
  return Product(posteriors).combined();
}

PosteriorPtr combine(std::span<const PosteriorPtr> posteriors) {
  return combine_all(posteriors).posterior;
}

std::string CombinedPosterior::warning() const {
  if (is_exact || total_variation <= kLargeError) return "";
  char error[32];
  std::snprintf(error, sizeof error, "%.2g", total_variation);
  return std::string(
             "components of the product of the posteriors were merged, and "
             "probabilities may be wrong by up to ") +
         error + ". Do not use this result; infer from all the data at once instead";
}

}  // namespace epsfree
