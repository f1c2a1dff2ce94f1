#include "diagnose/two_sample/whitening.hpp"

#include <algorithm>
#include <cmath>

#include "base/dense_solvers.hpp"
#include "base/order_statistics.hpp"

namespace epsfree {
namespace {

constexpr double kWinsor = 5;
constexpr double kLeastEigenvalue = 1e-6;
constexpr double kTailShare = 0.1;
constexpr double kLeastIndex = 1e-9;

}  // namespace

double least_scale(double centre) { return std::max(1e-6 * std::abs(centre), 1e-300); }

Whitening::Whitening(const Eigen::Ref<const Eigen::MatrixXd>& points)
    : centre_(points.rows()), scale_(points.rows()) {
  Eigen::VectorXd fixed = Eigen::VectorXd::Zero(points.rows());  // 1: does not vary
  for (Index d = 0; d < points.rows(); ++d) {
    const std::vector<double> values = sorted_values(points.row(d));
    centre_[d] = interpolated_quantile(values, 0.5);
    // 68% of a Gaussian lie within a standard deviation.
    scale_[d] =
        0.5 * (interpolated_quantile(values, 0.8413447) - interpolated_quantile(values, 0.1586553));
    if (!(scale_[d] > 0)) {
      // Most are equal: by those that are not, if any.
      scale_[d] = std::sqrt((points.row(d).array() - centre_[d]).square().mean());
    }
    const double least = least_scale(centre_[d]);
    if (scale_[d] < least) {
      scale_[d] = least;
      fixed[d] = 1;
    }
  }
  const Eigen::MatrixXd z =
      ((points.colwise() - centre_).array().colwise() / scale_.array()).max(-kWinsor).min(kWinsor);
  const Eigen::VectorXd mean = z.rowwise().mean();
  const Eigen::MatrixXd centred = z.colwise() - mean;
  Eigen::MatrixXd covariance = centred * centred.transpose() / static_cast<double>(points.cols());
  // With few points for so many rows correlations are mostly noise, and all points would come out
  // equally far: they are shrunk the more, the fewer there are.
  const double share =
      static_cast<double>(points.rows()) / static_cast<double>(points.rows() + points.cols());
  const Eigen::VectorXd variances = covariance.diagonal();
  covariance *= 1 - share;
  covariance.diagonal() = variances + fixed;  // rounding errors of those are not blown up
  const SymmetricEigen eigen = symmetric_eigen(covariance);
  const double largest = std::max(eigen.values.maxCoeff(), kLeastEigenvalue);
  matrix_ =
      eigen.values.cwiseMax(kLeastEigenvalue * largest).cwiseSqrt().cwiseInverse().asDiagonal() *
      eigen.vectors.transpose();
  centre_ += scale_.cwiseProduct(mean);
}

Eigen::MatrixXd Whitening::apply(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
  return matrix_ * ((points.colwise() - centre_).array().colwise() / scale_.array()).matrix();
}

double upper_tail_p(const Eigen::Ref<const Eigen::VectorXd>& others, double value) {
  const double n = static_cast<double>(others.size());
  const double as_large = static_cast<double>((others.array() >= value).count());
  const double by_rank = (1 + as_large) / (1 + n);
  const Index tail = static_cast<Index>(kTailShare * n);
  if (as_large > 0 || tail < 5) return by_rank;
  const std::vector<double> sorted = sorted_values(others);
  const double from = sorted[sorted.size() - static_cast<std::size_t>(tail) - 1];
  if (!(from > 0)) return by_rank;
  double index = 0;
  for (std::size_t i = sorted.size() - static_cast<std::size_t>(tail); i < sorted.size(); ++i) {
    index += std::log(sorted[i] / from) / static_cast<double>(tail);
  }
  if (!(index > kLeastIndex)) return by_rank;  // all alike but for rounding
  const double beyond = static_cast<double>(tail) / n * std::pow(value / from, -1 / index);
  // What n values say of a tail ends somewhere.
  return std::clamp(beyond, std::pow(by_rank, 3), by_rank);
}

}  // namespace epsfree
