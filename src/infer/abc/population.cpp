#include "infer/abc/population.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/dense_solvers.hpp"
#include "epsfree/effective_size.hpp"
#include "epsfree/weighted_samples.hpp"

namespace epsfree {
namespace {

// Of a population's covariance: the kernel of Beaumont et al.
constexpr double kKernelFactor = 2;
// Of the kernel's Cholesky factor, relative to the standard deviations.
constexpr double kLeastPivot = 1e-7;

Eigen::MatrixXd covariance_of(const Eigen::MatrixXd& z, const Eigen::VectorXd& weights) {
  const Eigen::MatrixXd centred = z.colwise() - Eigen::VectorXd(z * weights);
  return centred * weights.asDiagonal() * centred.transpose();
}

}  // namespace

Population Population::resampled(Stream& stream) const {
  const Index size = z.cols();
  const WeightedSamples all(Eigen::RowVectorXd::LinSpaced(size, 0, static_cast<double>(size - 1)),
                            sample.weights.array().log());
  const Eigen::MatrixXd drawn = all.resample(size, stream);
  std::vector<Index> chosen;
  for (Index i = 0; i < size; ++i) chosen.push_back(std::lround(drawn(0, i)));
  Population result;
  result.sample.statistics = sample.statistics(Eigen::all, chosen);
  result.sample.weights.setConstant(size, 1 / static_cast<double>(size));
  result.z = z(Eigen::all, chosen);
  return result;
}

std::optional<PopulationKernel> PopulationKernel::around(const Population& population,
                                                         bool adaptive,
                                                         const Eigen::VectorXd& observed) {
  const Eigen::MatrixXd covariance =
      kKernelFactor * covariance_of(population.z, population.sample.weights);
  const Cholesky cholesky(covariance);
  if (!cholesky.succeeded()) return std::nullopt;
  PopulationKernel kernel;
  kernel.factor_ = cholesky.lower();
  // A pivot of rounding errors is a direction that the population does not have.
  const auto pivots = kernel.factor_.diagonal().array() / covariance.diagonal().array().sqrt();
  if (!kernel.factor_.allFinite() || !(pivots.minCoeff() > kLeastPivot)) return std::nullopt;
  kernel.centres_ = population.z;
  kernel.whitened_ = kernel.whiten(population.z);
  kernel.weights_ = population.sample.weights;
  if (adaptive) kernel.favour_near(population.sample, observed);
  kernel.cumulative_.resize(kernel.weights_.size());
  std::partial_sum(kernel.weights_.begin(), kernel.weights_.end(), kernel.cumulative_.begin());
  return kernel;
}

Eigen::VectorXd PopulationKernel::draw(Stream& stream) const {
  const double position = stream.uniform() * cumulative_[cumulative_.size() - 1];
  const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end(), position);
  const Index j = std::min<Index>(at - cumulative_.begin(), cumulative_.size() - 1);
  Eigen::VectorXd noise(centres_.rows());
  for (double& value : noise) value = stream.normal();
  return centres_.col(j) + factor_ * noise;
}

double PopulationKernel::log_density(const Eigen::VectorXd& z) const {
  const Eigen::VectorXd y = whiten(z);
  const Eigen::ArrayXd exponents =
      -0.5 * (whitened_.colwise() - y).colwise().squaredNorm().transpose().array();
  const double top = exponents.maxCoeff();
  double sum = 0;
  for (Index j = 0; j < exponents.size(); ++j) {
    sum += weights_[j] * std::exp(exponents[j] - top);
  }
  return top + std::log(sum);
}

Eigen::MatrixXd PopulationKernel::whiten(const Eigen::MatrixXd& z) const {
  return factor_.triangularView<Eigen::Lower>().solve(z);
}

/// v_j = w_j K(s_o | s_j) with a product of Gaussians, as wide as the rule of thumb for a density
/// of parameters and statistics together says.
void PopulationKernel::favour_near(const AbcSample& sample, const Eigen::VectorXd& observed) {
  const Eigen::MatrixXd& s = sample.statistics;
  const Eigen::MatrixXd centred = s.colwise() - Eigen::VectorXd(s * sample.weights);
  const Eigen::VectorXd variances = centred.cwiseAbs2() * sample.weights;
  const auto dim = static_cast<double>(s.rows() + centres_.rows());
  const double width = std::pow(4 / (dim + 2) / effective_size(sample.weights), 1 / (dim + 4));
  Eigen::VectorXd exponents = Eigen::VectorXd::Zero(s.cols());
  for (Index k = 0; k < s.rows(); ++k) {
    if (!(variances[k] > 0)) continue;
    exponents -= (0.5 / (width * width * variances[k])) *
                 (s.row(k).transpose().array() - observed[k]).square().matrix();
  }
  const Eigen::VectorXd tilted =
      sample.weights.array() * (exponents.array() - exponents.maxCoeff()).exp();
  if (tilted.sum() > 0 && tilted.allFinite()) weights_ = tilted / tilted.sum();
}

}  // namespace epsfree
