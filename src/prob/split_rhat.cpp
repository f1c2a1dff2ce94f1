#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/order_statistics.hpp"
#include "base/require.hpp"
#include "epsfree/effective_size.hpp"
#include "prob/normal.hpp"

namespace epsfree {
namespace {

/// Normal scores of the ranks of all values together, ties sharing theirs (Vehtari et al. 2021, eq.
/// 14).
Eigen::MatrixXd rank_normalised(const Eigen::MatrixXd& values) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const double* at = values.data();
  std::sort(order.begin(), order.end(), [at](Index a, Index b) { return at[a] < at[b]; });
  Eigen::MatrixXd scores(values.rows(), values.cols());
  const double count = static_cast<double>(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && at[order[end]] == at[order[begin]]) ++end;
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);  // from one
    for (std::size_t i = begin; i < end; ++i) {
      scores.data()[order[i]] = normal_quantile((rank - 0.375) / (count + 0.25));
    }
    begin = end;
  }
  return scores;
}

/// Of sequences, one a column (Gelman & Rubin 1992).
double rhat(const Eigen::MatrixXd& sequences) {
  const double n = static_cast<double>(sequences.rows()), m = static_cast<double>(sequences.cols());
  const Eigen::RowVectorXd means = sequences.colwise().mean();
  const double between = n * (means.array() - means.mean()).square().sum() / (m - 1);
  const double within = (sequences.rowwise() - means).squaredNorm() / (m * (n - 1));
  if (within == 0) return between == 0 ? std::nan("") : std::numeric_limits<double>::infinity();
  return std::sqrt((n - 1) / n + between / (n * within));
}

}  // namespace

Eigen::VectorXd split_rhat(std::span<const Eigen::MatrixXd> chains) {
  require(!chains.empty(), "the number of chains", chains.size(), "at least 1");
  const Index dim = chains.front().rows(), length = chains.front().cols(), half = length / 2;
  require(length >= kShortestForRhat, "the length of the chains", length, "at least 4");
  for (const Eigen::MatrixXd& chain : chains) {
    require(chain.cols() == length && chain.rows() == dim, "the length of a chain", chain.cols(),
            "that of the others, " + std::to_string(length) + ", and their dimension the same");
    if (!chain.allFinite()) throw Error(ErrorKind::input, "a chain's states are not all finite");
  }
  Eigen::VectorXd result(dim);
  for (Index d = 0; d < dim; ++d) {
    Eigen::MatrixXd halves(half, 2 * static_cast<Index>(chains.size()));
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const auto column = static_cast<Index>(2 * c);
      halves.col(column) = chains[c].row(d).head(half).transpose();
      halves.col(column + 1) = chains[c].row(d).tail(half).transpose();
    }
    const double centre = median({halves.data(), halves.data() + halves.size()});
    const double bulk = rhat(rank_normalised(halves));
    // Folded: chains of one centre but different widths are seen too.
    const double tail = rhat(rank_normalised((halves.array() - centre).abs().matrix()));
    result[d] = std::isnan(bulk) ? bulk : std::max(bulk, std::isnan(tail) ? bulk : tail);
  }
  return result;
}

}  // namespace epsfree
