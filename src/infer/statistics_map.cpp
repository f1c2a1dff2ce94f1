#include "infer/statistics_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/number_text.hpp"

namespace epsfree {
namespace {

// asinh is linear up to about here, in typical distances.
constexpr double kLinearRange = 3;
// Sums of squares have to stay finite.
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
  if (distances.empty()) return 0;
  // Halves the range in which the median must be until one is left: a sort would take longer.
  auto begin = distances.begin(), end = distances.end();
  double below = 0;
  while (end - begin > 1) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end);
    const double sum = std::accumulate(
        begin, middle, 0.0, [](double s, const auto& distance) { return s + distance.second; });
    if (below + sum > total / 2) {
      end = middle;
    } else {
      begin = middle;
      below += sum;
    }
  }
  return begin->first;
}

}  // namespace

std::vector<std::string> never_reached(const Eigen::MatrixXd& statistics,
                                       const Eigen::VectorXd& observed) {
  std::vector<std::string> sentences;
  for (Index j = 0; j < statistics.rows() && statistics.cols() > 0; ++j) {
    const double always = statistics(j, 0);
    if (always == observed[j] || (statistics.row(j).array() != always).any()) continue;
    sentences.push_back("statistic " + std::to_string(j + 1) + " is " + number_text(always) +
                        " in every simulation, but " + number_text(observed[j]) +
                        " in the observation; it was left out");
  }
  return sentences;
}

StatisticsMap::StatisticsMap(const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                             const Eigen::Ref<const Eigen::VectorXd>& weights,
                             const Eigen::Ref<const Eigen::VectorXd>& observed, bool squashed)
    : squashed_(squashed), observed_(observed) {
  std::vector<double> scales;
  for (Index j = 0; j < statistics.rows(); ++j) {
    const Eigen::VectorXd values = statistics.row(j);
    if (values.minCoeff() == values.maxCoeff()) continue;
    kept_.push_back(j);
    scales.push_back(typical_distance(values, weights, observed[j]));
  }
  scale_ = Eigen::Map<const Eigen::VectorXd>(scales.data(), static_cast<Index>(scales.size()));
}

Eigen::MatrixXd StatisticsMap::apply(const Eigen::Ref<const Eigen::MatrixXd>& statistics) const {
  Eigen::MatrixXd mapped(dim(), statistics.cols());
  for (Index row = 0; row < dim(); ++row) {
    const Index j = kept_[static_cast<std::size_t>(row)];
    const Eigen::ArrayXd distances =
        ((statistics.row(j).transpose().array() - observed_[j]) / scale_[row])
            .cwiseMax(-kLargest)
            .cwiseMin(kLargest);
    if (squashed_) {
      // asinh, in a form that is computed for several at a time.
      const Eigen::ArrayXd size = distances.abs() / kLinearRange;
      mapped.row(row) =
          (distances.sign() * kLinearRange * (size + (size.square() + 1).sqrt()).log()).transpose();
    } else {
      mapped.row(row) = distances.transpose();
    }
  }
  return mapped;
}

}  // namespace epsfree
