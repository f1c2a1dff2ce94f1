#include "diagnose/calibration/uniformity.hpp"

#include <algorithm>
#include <cmath>

namespace epsfree {

Eigen::VectorXi ranks_of(const Eigen::Ref<const Eigen::VectorXd>& truth,
                         const Eigen::Ref<const Eigen::MatrixXd>& samples) {
  Eigen::VectorXi ranks(truth.size());
  for (Index d = 0; d < truth.size(); ++d) {
    ranks[d] = static_cast<int>((samples.row(d).array() < truth[d]).count());
  }
  return ranks;
}

double distance_from_uniform(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double below = static_cast<double>(i) / n, above = static_cast<double>(i + 1) / n;
    largest = std::max({largest, above - values[i], values[i] - below});
  }
  return largest;
}

double kolmogorov_smirnov_p(double distance, Index count) {
  const double root = std::sqrt(static_cast<double>(count));
  const double scaled = (root + 0.12 + 0.11 / root) * distance;
  if (scaled < 0.3) return 1;  // to ten digits; the series below converges slowly there
  double p = 0;
  for (int k = 1; k <= 100; ++k) {
    p += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * scaled * scaled);
  }
  return std::clamp(p, 0.0, 1.0);
}

RankTest test_ranks(const Eigen::Ref<const Eigen::MatrixXi>& ranks, Index num_samples) {
  RankTest test;
  test.p_values.setOnes(ranks.rows());
  if (ranks.cols() == 0) return test;
  for (Index d = 0; d < ranks.rows(); ++d) {
    std::vector<double> values;
    for (const int rank : ranks.row(d)) {
      values.push_back((rank + 0.5) / static_cast<double>(num_samples + 1));
    }
    test.p_values[d] = kolmogorov_smirnov_p(distance_from_uniform(std::move(values)), ranks.cols());
  }
  test.overall_p =
      std::min(1.0, test.p_values.minCoeff() * static_cast<double>(test.p_values.size()));
  return test;
}

}  // namespace epsfree
