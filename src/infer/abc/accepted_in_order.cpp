#include "infer/abc/accepted_in_order.hpp"

#include <algorithm>

namespace epsfree {
namespace {

Eigen::MatrixXd side_by_side(const std::vector<Eigen::VectorXd>& columns) {
  Eigen::MatrixXd result(columns.front().size(), static_cast<Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) result.col(static_cast<Index>(i)) = columns[i];
  return result;
}

}  // namespace

void AcceptedInOrder::take(const Eigen::MatrixXd& thetas, const Eigen::MatrixXd& statistics,
                           const Eigen::VectorXd& distances) {
  for (Index i = 0; i < distances.size() && size() < most_; ++i) {
    ++num_tried_;
    nearest_ = std::min(nearest_, distances[i]);
    if (!(distances[i] <= epsilon_)) continue;
    distances_.push_back(distances[i]);
    thetas_.emplace_back(thetas.col(i));
    statistics_.emplace_back(statistics.col(i));
  }
}

AbcSample AcceptedInOrder::sample() const {
  AbcSample result;
  result.thetas = side_by_side(thetas_);
  result.statistics = side_by_side(statistics_);
  result.distances = Eigen::Map<const Eigen::VectorXd>(distances_.data(), size());
  result.epsilon = epsilon_;
  return result;
}

}  // namespace epsfree
