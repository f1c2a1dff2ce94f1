// Stacking of predictive distributions.
#pragma once

#include <Eigen/Core>

namespace epsfree {

/// Weights of the mixture of candidates that predicts best (Yao, Vehtari, Simpson & Gelman 2018):
/// the maximum over the simplex of sum_i v_i log sum_c a_c p_c(i), found by EM, which is monotone.
/// `log_densities` has a row per held-out example and a column per candidate, the simplest first;
/// `importance` has an entry per example. From the last to the first, a candidate is left out if
/// the rest predicts nearly as well, by the sampling error of the difference (in the spirit of the
/// one-standard-error rule of Breiman et al. 1984): shares that are only noise cost more than they
/// gain.
Eigen::VectorXd stacking_weights(const Eigen::Ref<const Eigen::MatrixXd>& log_densities,
                                 const Eigen::Ref<const Eigen::VectorXd>& importance);

}  // namespace epsfree
