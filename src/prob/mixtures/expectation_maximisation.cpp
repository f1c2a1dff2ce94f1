// The EM fit of a mixture to weighted samples (Dempster et al. 1977).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/interruption.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

[[noreturn]] void refuse_points(const std::string& message) {
  throw Error(ErrorKind::usage, "EmOptions: " + message);
}

/// Squared distances from every point to one, in units of `scale`.
Eigen::VectorXd squared_distances(const Eigen::MatrixXd& scaled, const Eigen::VectorXd& centre) {
  return (scaled.colwise() - centre).colwise().squaredNorm();
}

/// Arthur & Vassilvitskii (2007): each centre in proportion to the squared distance from those
/// before. Returns responsibilities (K x N), one for the nearest centre and zero for the others.
Eigen::MatrixXd kmeans_start(const Eigen::MatrixXd& scaled, const Eigen::VectorXd& weights, Index K,
                             Stream& stream) {
  constexpr int kLloydSteps = 10;
  const Index N = scaled.cols();
  Eigen::MatrixXd centres(scaled.rows(), K);
  Eigen::VectorXd nearest = Eigen::VectorXd::Constant(N, kInfinity);
  for (Index k = 0; k < K; ++k) {
    Eigen::VectorXd chances = weights;
    if (k > 0) chances = weights.cwiseProduct(nearest);
    if (!(chances.sum() > 0)) chances = weights;  // fewer distinct points than components
    centres.col(k) = scaled.col(draw_index(chances, stream));
    nearest = nearest.cwiseMin(squared_distances(scaled, centres.col(k)));
  }
  Eigen::MatrixXd distances(K, N);
  Eigen::MatrixXd responsibilities(K, N);
  for (int step = 0; step <= kLloydSteps; ++step) {
    for (Index k = 0; k < K; ++k) {
      distances.row(k) = squared_distances(scaled, centres.col(k)).transpose();
    }
    responsibilities.setZero();
    for (Index n = 0; n < N; ++n) {
      Index k;
      distances.col(n).minCoeff(&k);
      responsibilities(k, n) = 1;
    }
    for (Index k = 0; k < K; ++k) {
      const Eigen::VectorXd own = responsibilities.row(k).transpose().cwiseProduct(weights);
      if (own.sum() > 0) centres.col(k) = scaled * own / own.sum();
    }
  }
  return responsibilities;
}

/// The M step. A component that has lost all its points is started anew on the whole data, with
/// next to no weight.
GaussianMixture maximise(const WeightedSamples& samples, const Eigen::MatrixXd& responsibilities,
                         const Eigen::VectorXd& ridge, const Gaussian& whole) {
  constexpr double kEmpty = 1e-12;
  std::vector<Gaussian> components;
  Eigen::VectorXd log_weights(responsibilities.rows());
  for (Index k = 0; k < responsibilities.rows(); ++k) {
    const Eigen::VectorXd own = responsibilities.row(k).transpose().cwiseProduct(samples.weights());
    const double total = own.sum();
    if (!(total > kEmpty)) {
      components.push_back(whole);
      log_weights(k) = std::log(kEmpty);
      continue;
    }
    const Eigen::VectorXd mean = samples.points() * own / total;
    const Eigen::MatrixXd centred = samples.points().colwise() - mean;
    Eigen::MatrixXd covariance = centred * (own / total).asDiagonal() * centred.transpose();
    covariance.diagonal() += ridge;
    components.push_back(Gaussian::from_covariance(mean, covariance));
    log_weights(k) = std::log(total);
  }
  return GaussianMixture(std::move(components), std::move(log_weights));
}

/// The E step; returns the mean log likelihood.
double expect(const GaussianMixture& mixture, const WeightedSamples& samples,
              Eigen::MatrixXd& responsibilities) {
  for (Index k = 0; k < mixture.num_components(); ++k) {
    responsibilities.row(k) = mixture.component(k).log_probs(samples.points()).transpose().array() +
                              mixture.log_weights()(k);
  }
  double sum = 0;
  for (Index n = 0; n < samples.size(); ++n) {
    const double log_prob = log_sum_exp(responsibilities.col(n));
    responsibilities.col(n) = (responsibilities.col(n).array() - log_prob).exp();
    if (samples.weights()(n) > 0) sum += samples.weights()(n) * log_prob;
  }
  return sum;
}

}  // namespace

void EmOptions::validate() const {
  if (num_components < 1) {
    refuse_points("num_components = " + std::to_string(num_components) + ", must be at least 1");
  }
  if (max_iterations < 1) {
    refuse_points("max_iterations = " + std::to_string(max_iterations) + ", must be at least 1");
  }
  if (num_restarts < 1) {
    refuse_points("num_restarts = " + std::to_string(num_restarts) + ", must be at least 1");
  }
  if (!(tolerance >= 0))
    refuse_points("tolerance = " + std::to_string(tolerance) + ", must not be negative");
  if (!(regularisation > 0) || !std::isfinite(regularisation)) {
    refuse_points("regularisation = " + std::to_string(regularisation) + ", must be positive");
  }
}

EmResult fit_mixture(const WeightedSamples& samples, const EmOptions& options, Stream& stream) {
  options.validate();
  const Index K = options.num_components;
  Eigen::MatrixXd covariance = samples.covariance();
  const Eigen::VectorXd variances = covariance.diagonal();
  for (Index i = 0; i < samples.dim(); ++i) {
    if (!(variances(i) > std::numeric_limits<double>::min())) {
      throw Error(ErrorKind::input,
                  "fit_mixture: the samples do not vary in dimension " + std::to_string(i + 1));
    }
  }
  const Eigen::VectorXd ridge = options.regularisation * variances;
  covariance.diagonal() += ridge;
  const Gaussian whole = Gaussian::from_covariance(samples.mean(), covariance);
  const Eigen::MatrixXd scaled =
      variances.cwiseSqrt().cwiseInverse().asDiagonal() * samples.points();

  std::optional<EmResult> best;
  const int num_starts = K == 1 ? 1 : options.num_restarts;  // one component has one optimum
  for (int start = 0; start < num_starts; ++start) {
    Eigen::MatrixXd responsibilities = K == 1 ? Eigen::MatrixXd::Ones(1, samples.size())
                                              : kmeans_start(scaled, samples.weights(), K, stream);
    EmResult result{maximise(samples, responsibilities, ridge, whole), -kInfinity, 0, false};
    result.mean_log_likelihood = expect(result.mixture, samples, responsibilities);
    while (!result.converged && result.num_iterations < options.max_iterations) {
      check_interruption();
      GaussianMixture next = maximise(samples, responsibilities, ridge, whole);
      const double likelihood = expect(next, samples, responsibilities);
      const double gain = likelihood - result.mean_log_likelihood;
      ++result.num_iterations;
      result.converged = gain < options.tolerance;
      // The regularisation can cost a little likelihood at the very end; keep the better.
      if (gain >= 0) {
        result.mixture = std::move(next);
        result.mean_log_likelihood = likelihood;
      }
    }
    if (!best || result.mean_log_likelihood > best->mean_log_likelihood) best = std::move(result);
  }
  return *best;
}

}  // namespace epsfree
