// Gaussian mixtures of parameters and statistics together, fitted by EM without random starts.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// sum_k alpha_k N((u, t) | m_k, S_k): seen as a density of u given t, it is a Gaussian locally
/// linear mapping (Deleforge, Forbes & Horaud 2015).
struct JointMixture {
  Eigen::VectorXd log_weights;
  Eigen::MatrixXd means;  ///< one column per component
  std::vector<Eigen::MatrixXd> covariances;
  Eigen::VectorXd counts;  ///< effective number of examples that belong to each component

  Index num_components() const { return log_weights.size(); }
  Index dim() const { return means.rows(); }
};

struct JointMixtureOptions {
  Index max_components = 8;
  /// Pseudo-examples with the covariance of all data, shrunk as for K equal clusters (Fraley &
  /// Raftery 2007), in every component: keeps one with few examples from collapsing.
  double prior_examples = 4;
  int max_iterations = 60;
  double tolerance = 1e-4;  ///< of the mean log likelihood
};

/// Mixtures with 1, 2, 4, ... components, each started by splitting every component of the one
/// before along its longest axis, so that nothing is random. `points` has one column per example,
/// `weights` one non-negative entry. The effective number of examples is that of the weights.
std::vector<JointMixture> fit_joint_mixtures(const Eigen::Ref<const Eigen::MatrixXd>& points,
                                             const Eigen::Ref<const Eigen::VectorXd>& weights,
                                             const JointMixtureOptions& options);

/// (sum w)^2 / sum w^2.
double effective_size(const Eigen::Ref<const Eigen::VectorXd>& weights);

}  // namespace epsfree
