#include "epsfree/effective_size.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

/// Adds sum_n x_n x_{n+l} for each lag l: by Fourier transform, since chains are long and slow ones
/// have thousands of lags.
void add_autocovariances(const Eigen::Ref<const Eigen::VectorXd>& centred, Eigen::VectorXd& sums) {
  const Index count = centred.size();
  Index padded = 1;
  while (padded < 2 * count) padded *= 2;
  std::vector<double> values(static_cast<std::size_t>(padded), 0.0);
  std::copy(centred.begin(), centred.end(), values.begin());
  std::vector<std::complex<double>> spectrum;
  Eigen::FFT<double> transform;
  transform.fwd(spectrum, values);
  for (std::complex<double>& value : spectrum) value = std::norm(value);
  transform.inv(values, spectrum);
  for (Index lag = 0; lag < count; ++lag) sums[lag] += values[static_cast<std::size_t>(lag)];
}

double time_of(const Eigen::VectorXd& sums, double scale) {
  // What rounding leaves of a constant is no variance.
  constexpr double kRounding = 1e-24;
  if (!(sums[0] > kRounding * scale * scale * static_cast<double>(sums.size()))) {
    return std::numeric_limits<double>::infinity();
  }
  double time = 1;
  for (Index lag = 1; lag < sums.size(); ++lag) {
    const double correlation = sums[lag] / sums[0];
    if (!(correlation > 0)) break;
    time += 2 * correlation;
  }
  return time;
}

}  // namespace

double effective_size(const Eigen::Ref<const Eigen::VectorXd>& weights) {
  const double total = weights.sum();
  return total * total / weights.squaredNorm();
}

double autocorrelation_time(const Eigen::Ref<const Eigen::VectorXd>& sequence) {
  if (sequence.size() == 0) throw Error(ErrorKind::input, "autocorrelation_time: no values");
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(sequence.size());
  add_autocovariances(sequence.array() - sequence.mean(), sums);
  return time_of(sums, sequence.cwiseAbs().maxCoeff());
}

double effective_size_of_chains(std::span<const Eigen::MatrixXd> chains) {
  if (chains.empty() || chains[0].size() == 0) return 0;
  const Index dim = chains[0].rows(), length = chains[0].cols();
  for (const Eigen::MatrixXd& chain : chains) {
    if (chain.rows() != dim || chain.cols() != length) {
      throw Error(ErrorKind::input, "effective_size_of_chains: chains differ in size");
    }
  }
  double longest = 1;
  for (Index d = 0; d < dim; ++d) {
    double mean = 0, scale = 0;
    for (const Eigen::MatrixXd& chain : chains) {
      mean += chain.row(d).mean() / static_cast<double>(chains.size());
      scale = std::max(scale, chain.row(d).cwiseAbs().maxCoeff());
    }
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(length);
    for (const Eigen::MatrixXd& chain : chains) {
      add_autocovariances(chain.row(d).transpose().array() - mean, sums);
    }
    longest = std::max(longest, time_of(sums, scale));
  }
  const double total = static_cast<double>(length) * static_cast<double>(chains.size());
  return std::isfinite(longest) ? total / longest : 0;
}

}  // namespace epsfree
