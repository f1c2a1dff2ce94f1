#include "prob/joint_mixture.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace epsfree {
namespace {

// Of a dimension's variance; keeps a covariance positive definite where data are degenerate.
constexpr double kRelativeFloor = 1e-8;
// Pseudo-examples at the mean of all data, in every component's mean.
constexpr double kMeanExamples = 0.01;
// How far, in standard deviations, the halves of a component are moved apart.
constexpr double kSplitDistance = 0.7;

struct Moments {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

Moments weighted_moments(const Eigen::Ref<const Eigen::MatrixXd>& points,
                         const Eigen::Ref<const Eigen::VectorXd>& weights) {
  const double total = weights.sum();
  Moments moments;
  moments.mean = points * weights / total;
  const Eigen::MatrixXd scaled = (points.colwise() - moments.mean) *
                                 (weights / total).cwiseSqrt().asDiagonal();
  moments.covariance.setZero(points.rows(), points.rows());
  moments.covariance.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  moments.covariance.triangularView<Eigen::StrictlyUpper>() = moments.covariance.transpose();
  moments.covariance.diagonal() +=
      (kRelativeFloor * moments.covariance.diagonal()).cwiseMax(std::numeric_limits<double>::min());
  return moments;
}

JointMixture split(const JointMixture& mixture) {
  const Index K = mixture.num_components(), dim = mixture.dim();
  JointMixture halves;
  halves.log_weights.resize(2 * K);
  halves.means.resize(dim, 2 * K);
  halves.counts.resize(2 * K);
  for (Index k = 0; k < K; ++k) {
    const Eigen::MatrixXd& S = mixture.covariances[static_cast<std::size_t>(k)];
    // In units of each dimension's own spread, or the longest axis is that of the largest unit.
    const Eigen::VectorXd scale = S.diagonal().cwiseSqrt();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
        scale.cwiseInverse().asDiagonal() * S * scale.cwiseInverse().asDiagonal());
    const Eigen::VectorXd axis =
        scale.cwiseProduct(eigen.eigenvectors().col(dim - 1)) *
        (kSplitDistance * std::sqrt(std::max(eigen.eigenvalues()[dim - 1], 0.0)));
    for (Index half = 0; half < 2; ++half) {
      halves.log_weights[2 * k + half] = mixture.log_weights[k] - std::log(2.0);
      halves.means.col(2 * k + half) = mixture.means.col(k) + (half == 0 ? -1.0 : 1.0) * axis;
      halves.counts[2 * k + half] = mixture.counts[k] / 2;
      halves.covariances.emplace_back(S - axis * axis.transpose());
    }
  }
  return halves;
}

/// The work space of EM, so that iterations allocate nothing large.
class ExpectationMaximisation {
 public:
  ExpectationMaximisation(const Eigen::Ref<const Eigen::MatrixXd>& points,
                          const Eigen::Ref<const Eigen::VectorXd>& weights, const Moments& all,
                          const JointMixtureOptions& options)
      : points_(points),
        all_(all),
        options_(options),
        size_(effective_size(weights)),
        weights_(weights * (size_ / weights.sum())),
        whitened_(points.rows(), points.cols()) {}

  JointMixture run(JointMixture mixture) {
    log_densities_.resize(points_.cols(), mixture.num_components());
    double before = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < options_.max_iterations; ++i) {
      const double log_likelihood = expect(mixture);
      maximise(mixture);
      if (!(log_likelihood - before >= options_.tolerance)) break;
      before = log_likelihood;
    }
    return mixture;
  }

 private:
  /// Weighted responsibilities into log_densities_; the mean log likelihood up to a constant.
  double expect(const JointMixture& mixture) {
    const Index dim = points_.rows();
    for (Index k = 0; k < mixture.num_components(); ++k) {
      const Eigen::LLT<Eigen::MatrixXd> llt(mixture.covariances[static_cast<std::size_t>(k)]);
      const Eigen::MatrixXd inverse =
          llt.matrixL().solve(Eigen::MatrixXd::Identity(dim, dim));
      whitened_.noalias() = inverse * points_;
      const Eigen::VectorXd centre = inverse * mixture.means.col(k);
      const double constant =
          mixture.log_weights[k] + inverse.diagonal().array().log().sum();
      log_densities_.col(k) =
          ((whitened_.colwise() - centre).colwise().squaredNorm() * -0.5).transpose().array() +
          constant;
    }
    const Eigen::VectorXd largest = log_densities_.rowwise().maxCoeff();
    log_densities_ = (log_densities_.colwise() - largest).array().exp();
    const Eigen::VectorXd sums = log_densities_.rowwise().sum();
    const double mean = (largest.array() + sums.array().log()).matrix().dot(weights_) / size_;
    log_densities_.array().colwise() *= weights_.array() / sums.array();
    return mean;
  }

  void maximise(JointMixture& mixture) {
    const Index K = mixture.num_components();
    const double nu = options_.prior_examples;
    const double shrink =
        std::pow(static_cast<double>(K), -2.0 / static_cast<double>(points_.rows()));
    mixture.counts = log_densities_.colwise().sum().transpose();
    for (Index k = 0; k < K; ++k) {
      const double count = mixture.counts[k];
      const Eigen::VectorXd mean =
          (points_ * log_densities_.col(k) + kMeanExamples * all_.mean) / (count + kMeanExamples);
      whitened_ = (points_.colwise() - mean) * log_densities_.col(k).cwiseSqrt().asDiagonal();
      Eigen::MatrixXd& S = mixture.covariances[static_cast<std::size_t>(k)];
      S = nu * shrink * all_.covariance;
      S.selfadjointView<Eigen::Lower>().rankUpdate(whitened_);
      S.triangularView<Eigen::StrictlyUpper>() = S.transpose();
      S /= count + nu;
      mixture.means.col(k) = mean;
      mixture.log_weights[k] = std::log((count + 1 / static_cast<double>(K)) / (size_ + 1));
    }
  }

  const Eigen::Ref<const Eigen::MatrixXd>& points_;
  const Moments& all_;
  const JointMixtureOptions& options_;
  double size_;
  Eigen::VectorXd weights_;  // sum to the effective size
  Eigen::MatrixXd whitened_;
  Eigen::MatrixXd log_densities_;
};

}  // namespace

double effective_size(const Eigen::Ref<const Eigen::VectorXd>& weights) {
  const double total = weights.sum();
  return total * total / weights.squaredNorm();
}

std::vector<JointMixture> fit_joint_mixtures(const Eigen::Ref<const Eigen::MatrixXd>& points,
                                             const Eigen::Ref<const Eigen::VectorXd>& weights,
                                             const JointMixtureOptions& options) {
  const Moments all = weighted_moments(points, weights);
  std::vector<JointMixture> mixtures;
  mixtures.push_back({.log_weights = Eigen::VectorXd::Zero(1),
                      .means = all.mean,
                      .covariances = {all.covariance},
                      .counts = Eigen::VectorXd::Constant(1, effective_size(weights))});
  ExpectationMaximisation em(points, weights, all, options);
  for (Index K = 2; K <= options.max_components; K *= 2) {
    mixtures.push_back(em.run(split(mixtures.back())));
  }
  return mixtures;
}

}  // namespace epsfree
