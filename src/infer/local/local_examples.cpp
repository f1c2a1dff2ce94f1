#include "infer/local/local_examples.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/dense_solvers.hpp"
#include "prob/mixtures/joint_mixture.hpp"

namespace epsfree {
namespace {

// Relative to the largest; what is below costs time and changes nothing.
constexpr double kNegligibleWeight = 1e-4;
constexpr std::size_t kMostForProposal = 300;
constexpr std::size_t kMostForLikelihood = 500;
constexpr int kNumFolds = 5;
constexpr int kFoldsForProposal = 3;
// Where fitting is more work than this, for an iteration of one component, there are many examples,
// and one fold of a fifth of them says enough.
constexpr double kMuchWork = 2e5;
// The share of the effective examples that the kernel around the observation leaves.
constexpr double kNearShare = 0.5;
// A flat prior is made proper by a Gaussian so many of its standard deviations wide: twice the
// width of a uniform one.
constexpr double kFlatWidth = 7;
constexpr double kRelativeFloor = 1e-10;

/// The weights times (1 + d^2 / h^2)^-4 with the h that leaves `share` of their effective size.
Eigen::VectorXd near_weights(const Eigen::VectorXd& weights, const Eigen::VectorXd& squares,
                             double share) {
  const double wanted = share * effective_size(weights);
  double low = -12, high = 24;  // log h
  Eigen::VectorXd result = weights;
  for (int i = 0; i < 24; ++i) {
    const double middle = 0.5 * (low + high);
    const Eigen::VectorXd kernel =
        (1 + squares.array() * std::exp(-2 * middle)).square().square().inverse();
    const Eigen::VectorXd candidate = weights.cwiseProduct(kernel);
    if (candidate.sum() > 0 && effective_size(candidate) >= wanted) {
      high = middle;
      result = candidate;
    } else {
      low = middle;
    }
  }
  return result;
}

}  // namespace

void thin(std::vector<Index>& indices, std::size_t most) {
  if (indices.size() <= most) return;
  std::vector<Index> kept(most);
  for (std::size_t i = 0; i < most; ++i) {
    kept[i] = indices[(2 * i + 1) * indices.size() / (2 * most)];
  }
  indices = std::move(kept);
}

LocalExamples::LocalExamples(const SimulationPool& pool, const Eigen::VectorXd& observed,
                             const LocalTarget& target, bool all_examples, std::uint64_t seed,
                             std::uint32_t round)
    : pool_(pool), observed_(observed) {
  const Eigen::VectorXd all = pool.weights_towards(target);
  for (Index i = 0; i < all.size(); ++i) {
    if (all[i] > kNegligibleWeight) chosen_.push_back(i);
  }
  if (!all_examples) thin(chosen_, kMostForProposal);
  weights_ = all(chosen_);
  size_ = effective_size(weights_);
  const Eigen::MatrixXd z = pool.coordinates()(Eigen::all, chosen_);
  statistics_ = pool.statistics()(Eigen::all, chosen_);

  const Prior& prior = pool.prior();
  const double total = weights_.sum();
  centre_ = z * weights_ / total;
  const Eigen::MatrixXd centred = z.colwise() - centre_;
  Eigen::MatrixXd covariance = centred * (weights_ / total).asDiagonal() * centred.transpose();
  covariance.diagonal() += kRelativeFloor * prior.coordinate_std().cwiseAbs2();
  factor_ = Cholesky(covariance).lower();
  const auto L = factor_.triangularView<Eigen::Lower>();
  parameters_ = L.solve(centred);
  likelihood_.resize(static_cast<std::size_t>(pool.size()));
  std::iota(likelihood_.begin(), likelihood_.end(), Index{0});
  if (!all_examples && likelihood_.size() > kMostForProposal + kMostForLikelihood) {
    thin(likelihood_, kMostForLikelihood);
    std::vector<Index> both;
    std::set_union(likelihood_.begin(), likelihood_.end(), chosen_.begin(), chosen_.end(),
                   std::back_inserter(both));
    likelihood_ = std::move(both);
  }
  likelihood_parameters_ = L.solve(pool.coordinates()(Eigen::all, likelihood_).colwise() - centre_);

  LocalTarget here = target.around(centre_);
  const Eigen::VectorXd flat_precision =
      (kFlatWidth * prior.coordinate_std()).cwiseAbs2().cwiseInverse();
  for (Index d = 0; d < dim(); ++d) {
    if (here.log_density.precision(d, d) > 0) continue;
    here.log_density.precision(d, d) = flat_precision[d];
    here.log_density.shift[d] += flat_precision[d] * (prior.coordinate_mean()[d] - centre_[d]);
  }
  target_ = {factor_.transpose() * here.log_density.precision * factor_,
             factor_.transpose() * here.log_density.shift};

  const Eigen::MatrixXd squashed = statistics_map(true).apply(statistics_);
  nearness_ = near_weights(weights_, squashed.colwise().squaredNorm(), kNearShare);
  Stream stream(seed, {.purpose = Purpose::training_order, .round = round});
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    folds_.push_back(static_cast<int>(stream.below(kNumFolds)));
  }
  const double joint_dim = static_cast<double>(dim() + statistics_.rows());
  const double work = static_cast<double>(chosen_.size()) * joint_dim * (joint_dim + 8);
  num_folds_used_ = work > kMuchWork ? 1 : all_examples ? kNumFolds : kFoldsForProposal;
}

std::vector<Index> LocalExamples::fold(int number) const {
  std::vector<Index> members;
  for (std::size_t i = 0; i < folds_.size(); ++i) {
    if (folds_[i] == number) members.push_back(static_cast<Index>(i));
  }
  return members;
}

Eigen::MatrixXd LocalExamples::likelihood_statistics() const {
  return pool_.statistics()(Eigen::all, likelihood_);
}

Index LocalExamples::in_likelihood(Index example) const {
  return std::lower_bound(likelihood_.begin(), likelihood_.end(), in_pool(example)) -
         likelihood_.begin();
}

StatisticsMap LocalExamples::statistics_map(bool squashed) const {
  return {statistics_, weights_, observed_, squashed};
}

GaussianMixture LocalExamples::to_coordinates(const GaussianMixture& mixture) const {
  return mixture.affine(factor_, centre_);
}

}  // namespace epsfree
