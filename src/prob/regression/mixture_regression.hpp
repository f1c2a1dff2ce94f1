// The density of parameters given statistics that a joint mixture implies.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/gaussian_mixture.hpp"
#include "prob/mixtures/joint_mixture.hpp"

namespace epsfree {

/// q(u | t) at one t.
struct RegressionAnswer {
  GaussianMixture mixture;
  /// How many times larger the squared distance of t to its nearest component is than the largest
  /// that data of this kind have, or one. The answer is that for a t known only up to an error that
  /// much larger (Wilkinson 2013): a regression is not believed far from its data.
  double tempering = 1;
};

/// q(u | t) of a joint mixture of (u, t): a mixture of linear regressions whose weights depend on
/// t. Residual covariances are corrected for the degrees of freedom that each regression used, and
/// at() adds what its coefficients' own uncertainty does to the prediction.
class MixtureRegression {
 public:
  MixtureRegression(const JointMixture& joint, Index target_dim);

  /// log q of each column.
  Eigen::VectorXd log_probs(const Eigen::Ref<const Eigen::MatrixXd>& targets,
                            const Eigen::Ref<const Eigen::MatrixXd>& contexts) const;
  RegressionAnswer at(const Eigen::Ref<const Eigen::VectorXd>& context) const;

 private:
  struct Component {
    double log_weight;
    double count;
    Eigen::VectorXd target_mean, context_mean;
    Eigen::MatrixXd context_whitener;  // inverse of the Cholesky factor
    Eigen::MatrixXd slope;
    Eigen::MatrixXd explained;  // covariance that the statistics explain
    Eigen::MatrixXd residual;   // covariance that they leave
    Eigen::MatrixXd residual_whitener;
  };
  std::vector<Component> components_;
};

/// The largest squared Mahalanobis distance that `dim` Gaussian numbers ordinarily have: three
/// standard deviations above its mean.
double largest_usual_distance(Index dim);

}  // namespace epsfree
