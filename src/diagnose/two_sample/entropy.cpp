#include "diagnose/two_sample/entropy.hpp"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

// More neighbours vary less and blur more; a few are the usual choice.
constexpr std::size_t kNeighbours = 4;
constexpr Index kFewestPlaces = 10;

struct Places {
  Eigen::MatrixXd points;
  Eigen::VectorXd weights;
};

/// Resampling puts several samples at one place, which would be infinitely dense.
Places distinct(const WeightedSamples& samples) {
  std::map<std::vector<double>, double> weights;
  for (Index i = 0; i < samples.size(); ++i) {
    if (samples.weights()[i] == 0) continue;
    const auto column = samples.points().col(i);
    weights[{column.data(), column.data() + column.size()}] += samples.weights()[i];
  }
  Places places{Eigen::MatrixXd(samples.dim(), static_cast<Index>(weights.size())),
                Eigen::VectorXd(static_cast<Index>(weights.size()))};
  Index i = 0;
  for (const auto& [point, weight] : weights) {
    places.points.col(i) =
        Eigen::Map<const Eigen::VectorXd>(point.data(), static_cast<Index>(point.size()));
    places.weights[i++] = weight;
  }
  return places;
}

double log_unit_ball(Index dim) {
  const double half = 0.5 * static_cast<double>(dim);
  return half * std::log(std::numbers::pi) - std::lgamma(half + 1);
}

/// log of the weight within the distance of the last neighbour over that ball's volume.
double log_density_at(const Places& places, Index i) {
  using Neighbour = std::pair<double, double>;  // squared distance, weight
  std::vector<Neighbour> nearest(kNeighbours, {std::numeric_limits<double>::infinity(), 0});
  for (Index j = 0; j < places.points.cols(); ++j) {
    const double squared = (places.points.col(j) - places.points.col(i)).squaredNorm();
    if (j == i || squared >= nearest.front().first) continue;
    std::pop_heap(nearest.begin(), nearest.end());
    nearest.back() = {squared, places.weights[j]};
    std::push_heap(nearest.begin(), nearest.end());
  }
  double weight = 0;
  for (const Neighbour& each : nearest) weight += each.second;
  const double dim = static_cast<double>(places.points.rows());
  return std::log(weight / (1 - places.weights[i])) - 0.5 * dim * std::log(nearest.front().first);
}

}  // namespace

double nearest_neighbour_entropy(const WeightedSamples& samples) {
  // Distances mean something only where all dimensions are of one scale.
  const Eigen::VectorXd scale = samples.covariance().diagonal().cwiseSqrt();
  if (!(scale.array() > 0).all()) {
    throw Error(ErrorKind::input, "entropy: the samples do not vary in every dimension");
  }
  Places places = distinct(samples);
  if (places.points.cols() < kFewestPlaces) {
    throw Error(ErrorKind::input, "entropy: expected at least 10 samples that differ, got " +
                                      std::to_string(places.points.cols()));
  }
  places.points.array().colwise() /= scale.array();
  const auto count = static_cast<std::size_t>(places.points.cols());
  Eigen::VectorXd log_density(places.points.cols());
  parallel_for(0, count, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      log_density[static_cast<Index>(i)] = log_density_at(places, static_cast<Index>(i));
    }
  });
  const double neighbours = static_cast<double>(kNeighbours);
  return log_unit_ball(samples.dim()) + std::log(neighbours) - boost::math::digamma(neighbours) -
         places.weights.dot(log_density) + scale.array().log().sum();
}

}  // namespace epsfree
