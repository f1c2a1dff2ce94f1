#include "prob/regression/mixture_regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/dense_solvers.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

Eigen::MatrixXd inverse_factor(const Eigen::MatrixXd& covariance) {
  const Cholesky llt(covariance);
  return llt.inverse_of_lower();
}

double log_det(const Eigen::MatrixXd& whitener) { return whitener.diagonal().array().log().sum(); }

/// -1/2 |W (points - centre)|^2 + log det W, without the constant of a Gaussian.
Eigen::VectorXd log_kernel(const Eigen::MatrixXd& whitener,
                           const Eigen::Ref<const Eigen::MatrixXd>& centred) {
  return ((whitener * centred).colwise().squaredNorm() * -0.5).transpose().array() +
         log_det(whitener);
}

Eigen::VectorXd log_sum_rows(const Eigen::MatrixXd& values) {
  const Eigen::VectorXd largest = values.rowwise().maxCoeff();
  return largest.array() + (values.colwise() - largest).array().exp().rowwise().sum().log();
}

// With n examples, a regression on p statistics leaves n - p - 1 degrees of freedom; of a
// component that has hardly any, no more than a quarter is taken away.
double degrees_of_freedom_factor(double count, Index num_statistics) {
  return count / std::max(count - static_cast<double>(num_statistics) - 1, count / 4);
}

}  // namespace

double largest_usual_distance(Index dim) {
  const double p = static_cast<double>(dim);
  return p + 3 * std::sqrt(2 * p);
}

MixtureRegression::MixtureRegression(const JointMixture& joint, Index target_dim) {
  const Index D = target_dim, p = joint.dim() - target_dim;
  for (Index k = 0; k < joint.num_components(); ++k) {
    const Eigen::MatrixXd& S = joint.covariances[static_cast<std::size_t>(k)];
    Component c;
    c.log_weight = joint.log_weights[k];
    c.count = joint.counts[k];
    c.target_mean = joint.means.col(k).head(D);
    c.context_mean = joint.means.col(k).tail(p);
    c.context_whitener = inverse_factor(S.bottomRightCorner(p, p));
    const Eigen::MatrixXd half = c.context_whitener * S.bottomLeftCorner(p, D);
    c.slope = half.transpose() * c.context_whitener;
    c.explained = half.transpose() * half;
    c.residual = S.topLeftCorner(D, D) - c.explained;
    c.residual.diagonal() += 1e-9 * S.diagonal().head(D);
    c.residual *= degrees_of_freedom_factor(std::max(c.count, 1.0), p);
    c.residual_whitener = inverse_factor(c.residual);
    if (c.context_whitener.allFinite() && c.residual_whitener.allFinite()) {
      components_.push_back(std::move(c));
    }
  }
  if (components_.empty()) {
    throw Error(ErrorKind::internal, "mixture regression: no component has a usable covariance");
  }
}

Eigen::VectorXd MixtureRegression::log_probs(
    const Eigen::Ref<const Eigen::MatrixXd>& targets,
    const Eigen::Ref<const Eigen::MatrixXd>& contexts) const {
  const Index N = targets.cols(), K = static_cast<Index>(components_.size());
  Eigen::MatrixXd joint(N, K), marginal(N, K);
  for (Index k = 0; k < K; ++k) {
    const Component& c = components_[static_cast<std::size_t>(k)];
    const Eigen::MatrixXd centred = contexts.colwise() - c.context_mean;
    marginal.col(k) = log_kernel(c.context_whitener, centred).array() + c.log_weight;
    const Eigen::MatrixXd errors = (targets - c.slope * centred).colwise() - c.target_mean;
    joint.col(k) = marginal.col(k) + log_kernel(c.residual_whitener, errors);
  }
  const double constant =
      0.5 * static_cast<double>(targets.rows()) * std::log(2 * std::numbers::pi);
  return (log_sum_rows(joint) - log_sum_rows(marginal)).array() - constant;
}

RegressionAnswer MixtureRegression::at(const Eigen::Ref<const Eigen::VectorXd>& context) const {
  double nearest = std::numeric_limits<double>::infinity();
  std::vector<double> distances;
  for (const Component& c : components_) {
    distances.push_back((c.context_whitener * (context - c.context_mean)).squaredNorm());
    nearest = std::min(nearest, distances.back());
  }
  const double tempering = std::max(1.0, nearest / largest_usual_distance(context.size()));

  std::vector<Gaussian> gaussians;
  Eigen::VectorXd log_weights(static_cast<Index>(components_.size()));
  for (std::size_t k = 0; k < components_.size(); ++k) {
    const Component& c = components_[k];
    const double distance = distances[k] / tempering;
    log_weights[static_cast<Index>(k)] =
        c.log_weight - 0.5 * distance + log_det(c.context_whitener);
    // The coefficients' own uncertainty: 1 + (1 + d^2) / n times the residual variance.
    Eigen::MatrixXd covariance = c.residual * (1 + (1 + distance) / std::max(c.count, 1.0));
    if (tempering > 1) {
      // An error of (tempering - 1) times the statistics' covariance takes so much of what they
      // explain away again.
      covariance += c.explained * (1 - 1 / tempering);
    }
    const Eigen::MatrixXd symmetric = 0.5 * (covariance + covariance.transpose());
    gaussians.push_back(Gaussian::from_covariance(
        c.target_mean + c.slope * (context - c.context_mean) / tempering, symmetric));
  }
  return {GaussianMixture(std::move(gaussians), log_weights), tempering};
}

}  // namespace epsfree
