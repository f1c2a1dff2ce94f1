#include "infer/standardised.hpp"

#include <algorithm>
#include <limits>

namespace epsfree {
namespace {

// In standard deviations; the network's square of it is still far from a float's range.
constexpr double kLargestStandardised = 1e12;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// standardiser.apply(points) in single precision, within +-limit, some columns at a time: in double
// precision the whole would take twice the memory of what is made of it.
Eigen::MatrixXf apply_in_float(const Standardiser& standardiser,
                               const Eigen::Ref<const Eigen::MatrixXd>& points, double limit) {
  constexpr Index kColumns = 4096;
  Eigen::MatrixXf result(points.rows(), points.cols());
  for (Index begin = 0; begin < points.cols(); begin += kColumns) {
    const Index count = std::min(kColumns, points.cols() - begin);
    result.middleCols(begin, count) = standardiser.apply(points.middleCols(begin, count))
                                          .cwiseMax(-limit)
                                          .cwiseMin(limit)
                                          .cast<float>();
  }
  return result;
}

}  // namespace

Eigen::MatrixXf standardised_statistics(const Standardiser& standardiser,
                                        const Eigen::Ref<const Eigen::MatrixXd>& statistics) {
  return apply_in_float(standardiser, statistics, kLargestStandardised);
}

Eigen::MatrixXf standardised_parameters(const Standardiser& standardiser,
                                        const Eigen::Ref<const Eigen::MatrixXd>& coordinates) {
  return apply_in_float(standardiser, coordinates, kNoLimit);
}

}  // namespace epsfree
