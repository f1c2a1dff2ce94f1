// How many independent samples a set of samples is worth (Papamakarios & Murray 2016, appendix E),
// and whether chains agree.
#pragma once

#include <Eigen/Core>
#include <span>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// Of weighted samples: (sum w)^2 / sum w^2.
double effective_size(const Eigen::Ref<const Eigen::VectorXd>& weights);

/// 1 + 2 times the sum of the autocorrelations up to the first that is not positive. Infinite for a
/// sequence that never changes.
double autocorrelation_time(const Eigen::Ref<const Eigen::VectorXd>& sequence);

/// Of chains of one length, one state per column, each started by itself: all their states over the
/// autocorrelation time, the least of all components. Autocorrelations are around the mean of all
/// chains, so that chains which stay apart count for little. Zero for chains that never move.
double effective_size_of_chains(std::span<const Eigen::MatrixXd> chains);

/// Rank-normalised split R-hat, the larger of the plain and the folded one, of every component
/// (Vehtari et al. 2021): 1 where chains agree. Chains of one length, one state per column.
inline constexpr Index kShortestForRhat = 4;
Eigen::VectorXd split_rhat(std::span<const Eigen::MatrixXd> chains);

}  // namespace epsfree
