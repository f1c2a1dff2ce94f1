#include "prob/mixtures/joint_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/cpu.hpp"
#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"
#include "prob/mixtures/mixture_kernels.hpp"

namespace epsfree {
namespace {

// Of a dimension's variance; keeps a covariance positive definite where data are degenerate.
constexpr double kRelativeFloor = 1e-8;
// Pseudo-examples at the mean of all data, in every component's mean.
constexpr double kMeanExamples = 0.01;
// How far, in standard deviations, the halves of a component are moved apart.
constexpr double kSplitDistance = 0.7;
// The covariance of the inner of two nested halves, relative to that of both.
constexpr double kNarrow = 0.25;
// Iterations after which one way to split is chosen.
constexpr int kTrialIterations = 4;
// From a mixture of nearly the same examples, a few are enough.
constexpr int kRefitIterations = 10;
constexpr double kFewestEmIterations = 15;
constexpr double kMostEmIterations = 200;
// What an iteration costs besides its products, in dimensions.
constexpr double kOverhead = 8;

/// How components are split: halves apart along an axis, or a narrow one inside a wide one.
enum class Split { along_joint, along_residual, by_width };

/// The longest axis of a covariance, in units of each dimension's own spread, or it would be that
/// of the largest unit.
Eigen::VectorXd longest_axis(const Eigen::MatrixXd& S) {
  const Eigen::VectorXd scale = S.diagonal().cwiseSqrt();
  const SymmetricEigen eigen =
      symmetric_eigen(scale.cwiseInverse().asDiagonal() * S * scale.cwiseInverse().asDiagonal());
  const Index last = S.rows() - 1;
  return scale.cwiseProduct(eigen.vectors.col(last)) * std::sqrt(std::max(eigen.values[last], 0.0));
}

/// The same of what the statistics leave of the parameters' covariance, which come first.
Eigen::VectorXd longest_residual_axis(const Eigen::MatrixXd& S, Index num_parameters) {
  const Index D = num_parameters, p = S.rows() - D;
  const Cholesky llt(S.bottomRightCorner(p, p));
  const Eigen::MatrixXd half = llt.solve_lower(S.bottomLeftCorner(p, D));
  Eigen::VectorXd axis = Eigen::VectorXd::Zero(S.rows());
  axis.head(D) = longest_axis(S.topLeftCorner(D, D) - half.transpose() * half);
  return axis;
}

JointMixture split(const JointMixture& mixture, Split how, Index num_parameters) {
  const Index K = mixture.num_components(), dim = mixture.dim();
  JointMixture halves;
  halves.log_weights.resize(2 * K);
  halves.means.resize(dim, 2 * K);
  halves.counts.resize(2 * K);
  for (Index k = 0; k < K; ++k) {
    const Eigen::MatrixXd& S = mixture.covariances[static_cast<std::size_t>(k)];
    Eigen::VectorXd axis = Eigen::VectorXd::Zero(dim);
    if (how == Split::along_joint) axis = kSplitDistance * longest_axis(S);
    if (how == Split::along_residual) {
      axis = kSplitDistance * longest_residual_axis(S, num_parameters);
    }
    for (Index half = 0; half < 2; ++half) {
      halves.log_weights[2 * k + half] = mixture.log_weights[k] - std::log(2.0);
      halves.means.col(2 * k + half) = mixture.means.col(k) + (half == 0 ? -1.0 : 1.0) * axis;
      halves.counts[2 * k + half] = mixture.counts[k] / 2;
      const double width = how != Split::by_width ? 1 : half == 0 ? kNarrow : 2 - kNarrow;
      halves.covariances.emplace_back(width * S - axis * axis.transpose());
    }
  }
  return halves;
}

const MixtureKernels& kernels() {
  static const MixtureKernels best = EPSFREE_BEST_KERNEL(MixtureKernels(*)(), mixture_kernels)();
  return best;
}

Index padded(Index count, Index multiple) { return (count + multiple - 1) / multiple * multiple; }

}  // namespace

JointMixtureFit::JointMixtureFit(const Eigen::Ref<const Eigen::MatrixXd>& points,
                                 Index num_parameters,
                                 const Eigen::Ref<const Eigen::VectorXd>& weights,
                                 const JointMixtureOptions& options)
    : options_(options),
      num_parameters_(num_parameters),
      dim_(points.rows()),
      points_(
          Eigen::MatrixXd::Zero(padded(points.cols(), kMixtureLanes), padded(dim_, kMixtureTile))),
      size_(effective_size(weights)),
      weights_(Eigen::VectorXd::Zero(points_.rows())) {
  const Index dim = dim_, count = points.cols();
  weights_.head(count) = weights * (size_ / weights.sum());
  offset_ = points * weights_.head(count) / size_;
  points_.topLeftCorner(count, dim) = (points.colwise() - offset_).transpose();
  weigh(weights_.data(), all_covariance_);
  all_covariance_ /= size_;
  all_covariance_.diagonal() +=
      (kRelativeFloor * all_covariance_.diagonal()).cwiseMax(std::numeric_limits<double>::min());
  mixture_ = {.log_weights = Eigen::VectorXd::Zero(1),
              .means = Eigen::VectorXd::Zero(dim),
              .covariances = {all_covariance_},
              .counts = Eigen::VectorXd::Constant(1, size_)};
}

JointMixture JointMixtureFit::mixture() const {
  JointMixture result = mixture_;
  result.means.colwise() += offset_;
  return result;
}

void JointMixtureFit::grow() {
  if (!options_.try_all_splits) {
    mixture_ = split(mixture_, Split::along_joint, num_parameters_);
    run(max_iterations());
    return;
  }
  const JointMixture before = mixture_;
  JointMixture best;
  double best_likelihood = -std::numeric_limits<double>::infinity();
  for (const Split how : {Split::along_joint, Split::along_residual, Split::by_width}) {
    mixture_ = split(before, how, num_parameters_);
    const double likelihood = run(kTrialIterations);
    // Also where an axis is not a number.
    if (best.log_weights.size() > 0 && !(likelihood > best_likelihood)) continue;
    best = mixture_;
    best_likelihood = likelihood;
  }
  mixture_ = std::move(best);
  run(max_iterations());
}

void JointMixtureFit::start_from(const JointMixture& mixture) {
  if (mixture.num_components() == 1) return;  // which has a closed form
  mixture_ = mixture;
  mixture_.means.colwise() -= offset_;
  run(kRefitIterations);
}

int JointMixtureFit::max_iterations() const {
  const double dim = static_cast<double>(dim_);
  const double work =
      static_cast<double>(points_.rows() * mixture_.num_components()) * dim * (dim + kOverhead);
  return static_cast<int>(
      std::clamp<double>(options_.max_work / work, kFewestEmIterations, kMostEmIterations));
}

/// Iterates until there is no gain; returns the mean log likelihood, up to a constant, that was
/// last seen.
double JointMixtureFit::run(int max_iterations) {
  responsibilities_.resize(points_.rows(), mixture_.num_components());
  double before = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_iterations; ++i) {
    check_interruption();
    const double log_likelihood = expect();
    maximise();
    const bool gained = log_likelihood - before >= options_.tolerance;
    before = log_likelihood;
    if (!gained) break;
  }
  return before;
}

/// Responsibilities; returns the mean log likelihood up to a constant.
double JointMixtureFit::expect() {
  for (Index k = 0; k < mixture_.num_components(); ++k) {
    const Cholesky llt(mixture_.covariances[static_cast<std::size_t>(k)]);
    const Eigen::MatrixXd inverse = llt.inverse_of_lower();
    Eigen::VectorXd centre = Eigen::VectorXd::Zero(points_.cols());
    centre.head(dim_) = inverse.triangularView<Eigen::Lower>() * mixture_.means.col(k);
    pack(inverse);
    kernels().log_densities({points_.data(), points_.rows(), points_.cols()},
                            {tiles_.data(), centre.data(),
                             mixture_.log_weights[k] + inverse.diagonal().array().log().sum()},
                            responsibilities_.col(k).data());
  }
  return kernels().responsibilities(points_.rows(), mixture_.num_components(), weights_.data(),
                                    responsibilities_.data()) /
         size_;
}

void JointMixtureFit::maximise() {
  const Index K = mixture_.num_components();
  const double nu = options_.prior_examples;
  const double shrink = std::pow(static_cast<double>(K), -2.0 / static_cast<double>(dim_));
  mixture_.counts = responsibilities_.colwise().sum().transpose();
  for (Index k = 0; k < K; ++k) {
    const double count = mixture_.counts[k];
    // Around the mean of all, so that subtracting the component's own mean afterwards, which saves
    // a pass over the data, costs few digits.
    Eigen::MatrixXd& S = mixture_.covariances[static_cast<std::size_t>(k)];
    const Eigen::VectorXd sum = weigh(responsibilities_.col(k).data(), S);
    const Eigen::VectorXd mean = sum / (count + kMeanExamples);
    S += count * mean * mean.transpose() - sum * mean.transpose() - mean * sum.transpose();
    S = (S + nu * shrink * all_covariance_).eval() / (count + nu);
    mixture_.means.col(k) = mean;
    mixture_.log_weights[k] = std::log((count + 1 / static_cast<double>(K)) / (size_ + 1));
  }
}

/// A lower triangular matrix as the kernels want it.
void JointMixtureFit::pack(const Eigen::MatrixXd& triangle) {
  tiles_.clear();
  for (Index row = 0; row < points_.cols(); row += kMixtureTile) {
    for (Index j = 0; j < row + kMixtureTile; ++j) {
      for (Index i = row; i < row + kMixtureTile; ++i) {
        tiles_.push_back(i < dim_ && j <= i ? triangle(i, j) : 0.0);
      }
    }
  }
}

/// Sum of r x, and the symmetric sum of r x x^T.
Eigen::VectorXd JointMixtureFit::weigh(const double* responsibilities, Eigen::MatrixXd& products) {
  const Index num_tiles = points_.cols() / kMixtureTile;
  sums_.assign(static_cast<std::size_t>(points_.cols() * kMixtureLanes), 0.0);
  products_.assign(static_cast<std::size_t>(num_tiles * (num_tiles + 1) / 2 * kMixtureTile *
                                            kMixtureTile * kMixtureLanes),
                   0.0);
  kernels().moments({points_.data(), points_.rows(), points_.cols()}, responsibilities,
                    sums_.data(), products_.data());
  const auto lanes = [](const std::vector<double>& parts, Index entry) {
    return Eigen::Map<const Eigen::Matrix<double, kMixtureLanes, 1>>(parts.data() +
                                                                     entry * kMixtureLanes)
        .sum();
  };
  products.resize(dim_, dim_);
  Index entry = 0;
  for (Index row = 0; row < points_.cols(); row += kMixtureTile) {
    for (Index column = 0; column <= row; column += kMixtureTile) {
      for (Index i = row; i < row + kMixtureTile; ++i) {
        for (Index j = column; j < column + kMixtureTile; ++j, ++entry) {
          if (i < dim_ && j <= i) products(i, j) = products(j, i) = lanes(products_, entry);
        }
      }
    }
  }
  Eigen::VectorXd sums(dim_);
  for (Index i = 0; i < dim_; ++i) sums[i] = lanes(sums_, i);
  return sums;
}

}  // namespace epsfree
