#include "infer/local/statistics_reduction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/dense_solvers.hpp"
#include "base/order_statistics.hpp"
#include "infer/local/local_examples.hpp"

namespace epsfree {
namespace {

// Fits that use each statistic are right from about three simulations per statistic on.
constexpr Index kSimulationsPerStatistic = 3;
// The same for simulations that are spread over the whole prior, of this many statistics or more.
// With 100 linear statistics and 300 simulations the answers were 3.6 times too wide in the median.
constexpr Index kUnchosenPerStatistic = 15;
constexpr Index kSeveralStatistics = 20;
// Fewer are never too many: the fits have ways of their own with few simulations.
constexpr Index kFewStatistics = 8;
// From here on such fits take longer than simulations are worth.
constexpr Index kManyStatistics = 300;
// The eigenvalues of a matrix of this size take about a second.
constexpr Index kLargestGram = 1000;
// Values farther out than this many quartile distances are moved there: one outlier must not
// decide a regression.
constexpr double kFarthestStatistic = 10;
// Penalties that are tried, relative to the mean eigenvalue. With much smaller ones a regression
// on more statistics than simulations goes through every point, and its leave-one-out predictions
// are quotients of rounding errors.
constexpr std::array<double, 7> kPenalties{1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100};
constexpr double kLeastRest = 1e-9;

/// Ridge regressions of y on x, both centred, that share one factorisation, x x^T = V D V^T or
/// x^T x = V D V^T, whichever is smaller.
class Ridge {
 public:
  Ridge(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y)
      : x_(x), y_(y), dual_(x.cols() < x.rows()) {
    const Eigen::MatrixXd gram =
        dual_ ? Eigen::MatrixXd(x.transpose() * x) : Eigen::MatrixXd(x * x.transpose());
    eigen_ = symmetric_eigen(gram);
    eigen_.values = eigen_.values.cwiseMax(0);
    // Columns of the basis in the space of simulations: y's part in it, and each one's share.
    basis_ = dual_ ? eigen_.vectors : Eigen::MatrixXd(x.transpose() * eigen_.vectors);
    if (!dual_) {
      const double least = 1e-12 * std::max(eigen_.values.maxCoeff(), 1e-300);
      for (Index k = 0; k < basis_.cols(); ++k) {
        const double length = std::sqrt(eigen_.values[k]);
        basis_.col(k) *= eigen_.values[k] > least ? 1 / length : 0.0;
      }
    }
    projected_ = y_ * basis_;
  }

  double mean_eigenvalue() const {
    return std::max(eigen_.values.sum() / static_cast<double>(x_.cols()), 1e-300);
  }

  /// The leave-one-out predictions of row d of y.
  Eigen::VectorXd left_out(Index d, double penalty) const {
    const Eigen::VectorXd shrink =
        eigen_.values.array() / (eigen_.values.array() + penalty).max(1e-300);
    const Eigen::VectorXd fitted = basis_ * shrink.cwiseProduct(projected_.row(d).transpose());
    // The intercept has a leverage of 1 / n.
    const Eigen::VectorXd leverage = basis_.cwiseAbs2() * shrink;
    const double own = 1 / static_cast<double>(x_.cols());
    Eigen::VectorXd result(fitted.size());
    for (Index i = 0; i < fitted.size(); ++i) {
      const double rest = std::max(1 - leverage[i] - own, kLeastRest);
      result[i] = y_(d, i) - (y_(d, i) - fitted[i]) / rest;
    }
    return result;
  }

  Eigen::VectorXd slope(Index d, double penalty) const {
    const Eigen::VectorXd row = projected_.row(d);
    const Eigen::ArrayXd damped = (eigen_.values.array() + penalty).max(1e-300);
    if (dual_) return x_ * (eigen_.vectors * (row.array() / damped).matrix());
    return eigen_.vectors * (row.array() * eigen_.values.array().sqrt() / damped).matrix();
  }

 private:
  const Eigen::MatrixXd& x_;
  const Eigen::MatrixXd& y_;
  bool dual_;
  SymmetricEigen eigen_;
  Eigen::MatrixXd basis_;      // orthonormal, one row per simulation
  Eigen::MatrixXd projected_;  // y in it
};

}  // namespace

bool StatisticsReduction::is_needed(Index num_statistics, Index num_simulations, bool are_chosen) {
  if (num_statistics <= kFewStatistics) return false;
  const Index per_statistic = are_chosen || num_statistics < kSeveralStatistics
                                  ? kSimulationsPerStatistic
                                  : kUnchosenPerStatistic;
  return num_statistics > kManyStatistics || num_simulations < per_statistic * num_statistics;
}

StatisticsReduction::StatisticsReduction(const SimulationPool& pool,
                                         const Eigen::VectorXd& observed) {
  const Eigen::MatrixXd& statistics = pool.statistics();
  std::vector<double> centres, scales;
  for (Index j = 0; j < statistics.rows(); ++j) {
    std::vector<double> values(static_cast<std::size_t>(statistics.cols()));
    Eigen::VectorXd::Map(values.data(), statistics.cols()) = statistics.row(j);
    if (statistics.row(j).minCoeff() == statistics.row(j).maxCoeff()) continue;
    const double low = lower_quantile(values, 0.25), high = lower_quantile(values, 0.75);
    const double middle = lower_quantile(values, 0.5);
    double scale = high - low;
    if (!(scale > 0)) scale = std::sqrt((statistics.row(j).array() - middle).square().mean());
    if (!(scale > 0) || !std::isfinite(scale)) continue;
    kept_.push_back(j);
    centres.push_back(middle);
    scales.push_back(scale);
  }
  const auto count = static_cast<Index>(kept_.size());
  centre_ = Eigen::Map<const Eigen::VectorXd>(centres.data(), count);
  scale_ = Eigen::Map<const Eigen::VectorXd>(scales.data(), count);

  // What is left out of the regression is predicted by it as any new simulation is.
  std::vector<Index> used(static_cast<std::size_t>(pool.size()));
  for (Index i = 0; i < pool.size(); ++i) used[static_cast<std::size_t>(i)] = i;
  if (count > kLargestGram) thin(used, static_cast<std::size_t>(kLargestGram));
  Eigen::MatrixXd x = contexts(statistics, used);
  const Eigen::VectorXd x_mean = x.rowwise().mean();
  x.colwise() -= x_mean;
  Eigen::MatrixXd y = pool.coordinates()(Eigen::all, used);
  const Eigen::VectorXd y_mean = y.rowwise().mean();
  y.colwise() -= y_mean;

  const Index D = y.rows();
  if (count == 0) {  // nothing varies, so nothing can be predicted
    slope_ = Eigen::MatrixXd::Zero(D, 0);
    intercept_ = y_mean;
    fitted_predictions_ = y_mean.replicate(1, pool.size());
    observed_predictions_ = y_mean;
    return;
  }
  const Ridge ridge(x, y);
  Eigen::MatrixXd left_out = Eigen::MatrixXd::Zero(D, y.cols());
  slope_ = Eigen::MatrixXd::Zero(D, count);
  for (Index d = 0; d < D; ++d) {
    double best = std::numeric_limits<double>::infinity();
    for (const double relative : kPenalties) {
      const double penalty = relative * ridge.mean_eigenvalue();
      const Eigen::VectorXd predictions = ridge.left_out(d, penalty);
      const double error = (y.row(d).transpose() - predictions).squaredNorm();
      if (!(error < best)) continue;
      best = error;
      left_out.row(d) = predictions.transpose();
      slope_.row(d) = ridge.slope(d, penalty).transpose();
    }
  }
  intercept_ = y_mean - slope_ * x_mean;
  fitted_predictions_.resize(D, pool.size());
  std::vector<bool> is_used(static_cast<std::size_t>(pool.size()), false);
  for (std::size_t i = 0; i < used.size(); ++i) {
    is_used[static_cast<std::size_t>(used[i])] = true;
    fitted_predictions_.col(used[i]) = left_out.col(static_cast<Index>(i)) + y_mean;
  }
  for (Index i = 0; i < pool.size(); ++i) {
    if (!is_used[static_cast<std::size_t>(i)]) {
      fitted_predictions_.col(i) = predicted(statistics.col(i));
    }
  }
  observed_predictions_ = predicted(observed);
}

Eigen::VectorXd StatisticsReduction::predicted(
    const Eigen::Ref<const Eigen::VectorXd>& statistics) const {
  const std::array<Index, 1> only{0};
  return slope_ * contexts(statistics, only) + intercept_;
}

Eigen::MatrixXd StatisticsReduction::contexts(const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                                              std::span<const Index> simulations) const {
  Eigen::MatrixXd result(static_cast<Index>(kept_.size()), static_cast<Index>(simulations.size()));
  for (Index i = 0; i < result.cols(); ++i) {
    const auto column = statistics.col(simulations[static_cast<std::size_t>(i)]);
    for (Index row = 0; row < result.rows(); ++row) {
      const double value = column[kept_[static_cast<std::size_t>(row)]];
      result(row, i) =
          std::clamp((value - centre_[row]) / scale_[row], -kFarthestStatistic, kFarthestStatistic);
    }
  }
  return result;
}

Eigen::MatrixXd StatisticsReduction::of_pool(const SimulationPool& pool) const {
  Eigen::MatrixXd result(slope_.rows(), pool.size());
  result.leftCols(num_fitted()) = fitted_predictions_;
  for (Index i = num_fitted(); i < pool.size(); ++i) {
    result.col(i) = predicted(pool.statistics().col(i));
  }
  return result;
}

}  // namespace epsfree
