// Whether numbers are uniform, as the ranks of true parameters must be among samples of their
// posteriors (Cook, Gelman & Rubin 2006; Talts et al. 2018).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// How many of the samples lie below the truth, in each dimension.
Eigen::VectorXi ranks_of(const Eigen::Ref<const Eigen::VectorXd>& truth,
                         const Eigen::Ref<const Eigen::MatrixXd>& samples);

/// The largest distance between the distribution of the values, which lie in [0, 1], and the
/// uniform one.
double distance_from_uniform(std::vector<double> values);

/// P(D > distance) for the one-sample Kolmogorov-Smirnov statistic D of `count` values, by the
/// limit law with Stephens' (1970) correction for the count: good to three digits from a count of
/// five on.
double kolmogorov_smirnov_p(double distance, Index count);

/// One test for each dimension of ranks among `num_samples` samples, and all of them together.
struct RankTest {
  Eigen::VectorXd p_values;  ///< one per dimension
  double overall_p = 1;      ///< Bonferroni: the smallest times their number, at most one
};

/// `ranks` has one column per truth. A rank is a whole number from 0 to num_samples, and is taken
/// as the middle of its cell.
RankTest test_ranks(const Eigen::Ref<const Eigen::MatrixXi>& ranks, Index num_samples);

}  // namespace epsfree
