#include "infer/statistics_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace epsfree {
namespace {

// asinh is linear up to about here, in typical distances.
constexpr double kLinearRange = 3;
// A map that is not squashed still has to keep sums of squares finite.
constexpr double kLargest = 1e30;

/// The weighted median of |x_i - centre| among those that differ from it; 0 if none does.
double typical_distance(const Eigen::Ref<const Eigen::VectorXd>& values,
                        const Eigen::Ref<const Eigen::VectorXd>& weights, double centre) {
  std::vector<std::pair<double, double>> distances;
  double total = 0;
  for (Index i = 0; i < values.size(); ++i) {
    const double distance = std::abs(values[i] - centre);
    if (distance == 0 || weights[i] == 0) continue;
    distances.emplace_back(distance, weights[i]);
    total += weights[i];
  }
  std::sort(distances.begin(), distances.end());
  double sum = 0, median = 0;
  for (const auto& [distance, weight] : distances) {
    median = distance;
    sum += weight;
    if (sum > total / 2) break;
  }
  return median;
}

}  // namespace

StatisticsMap::StatisticsMap(const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                             const Eigen::Ref<const Eigen::VectorXd>& weights,
                             const Eigen::Ref<const Eigen::VectorXd>& observed, bool squashed)
    : squashed_(squashed), observed_(observed) {
  std::vector<double> scales;
  for (Index j = 0; j < statistics.rows(); ++j) {
    const Eigen::VectorXd values = statistics.row(j);
    if (values.minCoeff() == values.maxCoeff()) {
      if (values[0] != observed[j]) never_reached_.push_back(j);
      continue;
    }
    kept_.push_back(j);
    scales.push_back(typical_distance(values, weights, observed[j]));
  }
  scale_ = Eigen::Map<const Eigen::VectorXd>(scales.data(), static_cast<Index>(scales.size()));
}

Eigen::MatrixXd StatisticsMap::apply(const Eigen::Ref<const Eigen::MatrixXd>& statistics) const {
  Eigen::MatrixXd mapped(dim(), statistics.cols());
  for (Index row = 0; row < dim(); ++row) {
    const Index j = kept_[static_cast<std::size_t>(row)];
    for (Index i = 0; i < statistics.cols(); ++i) {
      const double distance = (statistics(j, i) - observed_[j]) / scale_[row];
      mapped(row, i) = squashed_ ? kLinearRange * std::asinh(distance / kLinearRange)
                                 : std::clamp(distance, -kLargest, kLargest);
    }
  }
  return mapped;
}

}  // namespace epsfree
