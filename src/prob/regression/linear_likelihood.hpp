// A linear-Gaussian likelihood fitted by regression.
#pragma once

#include <Eigen/Core>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// t | u ~ N(A u + b, S) fitted to simulations by least squares, for a posterior in closed form:
/// ABC-GLM (Leuenberger & Wegmann 2010). Because it regresses the statistics on the parameters, it
/// may use parameters from any proposals together, unweighted, and needs no correction for them;
/// but it is right only where the likelihood is linear and Gaussian over all of them.
class LinearLikelihood {
 public:
  /// One column per simulation; those with zero weight are ignored.
  LinearLikelihood(const Eigen::Ref<const Eigen::MatrixXd>& parameters,
                   const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                   const Eigen::Ref<const Eigen::VectorXd>& weights);

  /// The posterior of u given t for a prior exp(log_prior), whose precision may be singular only in
  /// directions that the statistics determine. The uncertainty of A, b and S and any distance of t
  /// from what the likelihood can produce widen it.
  Gaussian posterior(const Eigen::Ref<const Eigen::VectorXd>& statistics,
                     const LogQuadratic& log_prior) const;
  /// log posterior(t_i)(u_i) of each column.
  Eigen::VectorXd log_probs(const Eigen::Ref<const Eigen::MatrixXd>& parameters,
                            const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                            const LogQuadratic& log_prior) const;

 private:
  double count_;
  Eigen::MatrixXd slope_;
  Eigen::VectorXd intercept_;
  Eigen::MatrixXd noise_whitener_;  // W with W^T W = S^-1
  Eigen::MatrixXd design_inverse_;  // of (1, u)
};

}  // namespace epsfree
