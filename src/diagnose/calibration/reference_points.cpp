#include "diagnose/calibration/reference_points.hpp"

#include <algorithm>
#include <utility>

#include "base/dense_solvers.hpp"
#include "base/order_statistics.hpp"
#include "prob/normal.hpp"

namespace epsfree {
namespace {

constexpr Index kFewestReferences = 10;
// Of the features' unit variance: statistics may be copies of each other.
constexpr double kRidge = 0.01;

/// The standard normal quantile of the value's place among the sorted ones, whatever their scale.
double normal_score(const std::vector<double>& sorted, double value) {
  const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
  const double below = 0.5 * static_cast<double>((low - sorted.begin()) + (high - sorted.begin()));
  return normal_quantile((below + 0.5) / static_cast<double>(sorted.size() + 1));
}

}  // namespace

ReferencePoints::ReferencePoints(PriorPtr prior, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                                 const Eigen::Ref<const Eigen::MatrixXd>& statistics)
    : prior_(std::move(prior)) {
  const Index count = thetas.cols();
  if (count < kFewestReferences) return;
  for (Index s = 0; s < statistics.rows(); ++s) {
    sorted_.push_back(sorted_values(statistics.row(s)));
  }
  Eigen::MatrixXd x(statistics.rows() + 1, count), y(prior_->dim(), count);
  for (Index i = 0; i < count; ++i) {
    x.col(i) = features(statistics.col(i));
    y.col(i) = place(thetas.col(i));
  }
  Eigen::MatrixXd gram = x * x.transpose() / static_cast<double>(count);
  gram.diagonal().array() += kRidge;
  coefficients_ =
      solve_symmetric_columns(gram, x * y.transpose() / static_cast<double>(count)).transpose();
  residuals_ = y - coefficients_ * x;
}

Eigen::VectorXd ReferencePoints::features(
    const Eigen::Ref<const Eigen::VectorXd>& statistics) const {
  Eigen::VectorXd result(statistics.size() + 1);
  for (Index s = 0; s < statistics.size(); ++s) {
    result[s] = normal_score(sorted_[static_cast<std::size_t>(s)], statistics[s]);
  }
  result[statistics.size()] = 1;
  return result;
}

Eigen::VectorXd ReferencePoints::place(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  return (prior_->to_coordinates(theta) - prior_->coordinate_mean())
      .cwiseQuotient(prior_->coordinate_std());
}

Eigen::VectorXd ReferencePoints::draw(const Eigen::Ref<const Eigen::VectorXd>& observed,
                                      Stream& stream) const {
  if (residuals_.cols() == 0) return place(prior_->sample(stream));
  const auto i = static_cast<Index>(stream.below(static_cast<std::uint64_t>(residuals_.cols())));
  return coefficients_ * features(observed) + residuals_.col(i);
}

}  // namespace epsfree
