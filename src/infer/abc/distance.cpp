#include "infer/abc/distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/dense_solvers.hpp"
#include "base/number_text.hpp"
#include "base/order_statistics.hpp"
#include "base/parallel.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

constexpr double kInfinitelyFar = std::numeric_limits<double>::infinity();
constexpr std::size_t kColumnsAtATime = 1024;
// Of the variances, so that statistics that are functions of others do no harm.
constexpr double kCovarianceRidge = 1e-9;
// A statistic with this much less spread adds a hundredth to the squared distance.
constexpr double kUnequal = 10;
constexpr std::size_t kEnoughForSpreads = 2000, kFewForSpreads = 20;

double median_absolute_deviation(const Eigen::VectorXd& values) {
  std::vector<double> list(values.begin(), values.end());
  const double centre = upper_median(list);
  for (double& value : list) value = std::abs(value - centre);
  return upper_median(std::move(list));
}

Eigen::VectorXd standard_deviations(const Eigen::MatrixXd& points) {
  const Eigen::MatrixXd centred = points.colwise() - points.rowwise().mean();
  return (centred.rowwise().squaredNorm() / static_cast<double>(points.cols())).cwiseSqrt();
}

/// What does not vary is compared as it is.
Eigen::VectorXd inverse_scales(const Eigen::VectorXd& scales) {
  return scales.unaryExpr([](double s) { return s > 0 && std::isfinite(s) ? 1 / s : 1.0; });
}

}  // namespace

std::string to_string(DistanceKind kind) {
  switch (kind) {
    case DistanceKind::euclidean:
      return "euclidean";
    case DistanceKind::standard_deviation:
      return "std";
    case DistanceKind::median_absolute_deviation:
      return "mad";
    case DistanceKind::mahalanobis:
      break;
  }
  return "mahalanobis";
}

Eigen::VectorXd robust_spreads(const Eigen::MatrixXd& points) {
  const Eigen::VectorXd deviations = standard_deviations(points);
  Eigen::VectorXd spreads(points.rows());
  for (Index j = 0; j < points.rows(); ++j) {
    spreads[j] = median_absolute_deviation(points.row(j).transpose());
    if (!(spreads[j] > 0)) spreads[j] = deviations[j];
  }
  return spreads;
}

std::string unequal_spreads(const Eigen::MatrixXd& statistics) {
  std::vector<Index> usable;
  for (Index i = 0; i < statistics.cols() && usable.size() < kEnoughForSpreads; ++i) {
    if (statistics.col(i).allFinite()) usable.push_back(i);
  }
  if (usable.size() < kFewForSpreads) return "";
  const Eigen::VectorXd spreads = robust_spreads(statistics(Eigen::all, usable));
  Index widest = 0, narrowest = -1;
  spreads.maxCoeff(&widest);
  for (Index j = 0; j < spreads.size(); ++j) {
    // What never varies is alike in any scale.
    if (spreads[j] > 0 && (narrowest < 0 || spreads[j] < spreads[narrowest])) narrowest = j;
  }
  if (narrowest < 0 || !(spreads[widest] > kUnequal * spreads[narrowest])) return "";
  return "statistic " + std::to_string(widest + 1) + " varies " +
         number_text(std::round(spreads[widest] / spreads[narrowest])) +
         " times as much as statistic " + std::to_string(narrowest + 1) +
         ", which hardly counts in a Euclidean distance; method.abc.distance = \"mad\" weighs all "
         "alike";
}

Distance::Distance(DistanceKind kind, Eigen::VectorXd observed, const Eigen::MatrixXd& pilot)
    : observed_(std::move(observed)) {
  if (kind == DistanceKind::euclidean) return;
  if (pilot.cols() < 2 || pilot.rows() != observed_.size()) {
    throw Error(ErrorKind::input, "distance \"" + to_string(kind) +
                                      "\": at least two pilot simulations are needed for a scale");
  }
  const Eigen::VectorXd deviations = standard_deviations(pilot);
  scale_ = inverse_scales(deviations);
  if (kind == DistanceKind::median_absolute_deviation) {
    scale_ = inverse_scales(robust_spreads(pilot));
  }
  if (kind == DistanceKind::mahalanobis) {
    // Of fewer, directions that were never seen would count for everything.
    if (pilot.cols() < 2 * pilot.rows()) {
      throw Error(ErrorKind::input,
                  "distance \"mahalanobis\": " + std::to_string(pilot.cols()) +
                      " usable pilot simulations are too few for the covariance of " +
                      std::to_string(pilot.rows()) +
                      " statistics; raise method.pilot.num_simulations to give at least " +
                      std::to_string(2 * pilot.rows()) + " usable ones, or choose \"std\"");
    }
    const Eigen::MatrixXd scaled = scale_.asDiagonal() * (pilot.colwise() - pilot.rowwise().mean());
    Eigen::MatrixXd covariance = scaled * scaled.transpose() / static_cast<double>(pilot.cols());
    covariance.diagonal().array() += kCovarianceRidge;
    for (Index j = 0; j < covariance.rows(); ++j) {
      if (!(deviations[j] > 0)) covariance(j, j) = 1;
    }
    const Cholesky cholesky(covariance);
    if (!cholesky.succeeded()) {
      throw Error(ErrorKind::input,
                  "distance \"mahalanobis\": the covariance of the pilot run's statistics is not "
                  "positive definite; raise method.pilot.num_simulations or choose \"std\"");
    }
    whitener_ = cholesky.inverse_of_lower();
  }
}

Distance::Distance(DistanceFunction function, Eigen::VectorXd observed)
    : function_(std::move(function)), observed_(std::move(observed)) {}

double Distance::operator()(const Eigen::Ref<const Eigen::VectorXd>& statistics) const {
  double distance = 0;
  if (function_) {
    distance = function_(statistics, observed_);
  } else if (whitener_.size() > 0) {
    const Eigen::VectorXd difference = (statistics - observed_).cwiseProduct(scale_);
    distance = (whitener_.triangularView<Eigen::Lower>() * difference).norm();
  } else {
    // A plain loop: this runs some million times a second.
    double sum = 0;
    for (Index j = 0; j < observed_.size(); ++j) {
      double difference = statistics[j] - observed_[j];
      if (scale_.size() > 0) difference *= scale_[j];
      sum += difference * difference;
    }
    distance = std::sqrt(sum);
  }
  return std::isnan(distance) ? kInfinitelyFar : distance;
}

Eigen::VectorXd Distance::of_columns(const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                                     int num_threads) const {
  Eigen::VectorXd distances(statistics.cols());
  parallel_for(num_threads, static_cast<std::size_t>(statistics.cols()), kColumnsAtATime,
               [&](std::size_t begin, std::size_t end) {
                 for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
                   const auto x = statistics.col(i);
                   // A function of the user's need not know what a failed simulation is.
                   distances[i] = function_ && !x.allFinite() ? kInfinitelyFar : (*this)(x);
                 }
               });
  return distances;
}

}  // namespace epsfree
