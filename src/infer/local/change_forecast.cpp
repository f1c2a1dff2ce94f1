#include "infer/local/change_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/order_statistics.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr Index kFewestInPart = 10;
// Ways to cut the simulations into halves, or of many into smaller parts.
constexpr int kSplits = 2;
constexpr std::size_t kLargestPart = 2000;
// Relative to the largest; what is below does not take part in a fit.
constexpr double kForecastWeight = 1e-4;
// Fitted to 168 pairs of runs with N and 2 N simulations on 21 problems (docs/diagnostics.md).
constexpr double kOfChance = 0.8, kOfNearness = 0.2, kOfTempering = 0.5;
// With few effective examples the search for the posterior is not over.
constexpr double kFewExamples = 45;

/// Half the width between the quantiles of 16% and 84%.
double robust_scale(std::vector<double> values) {
  const std::size_t n = values.size();
  const double width = nth_smallest(values, n * 84 / 100) - nth_smallest(values, n * 16 / 100);
  return std::max(width, std::numeric_limits<double>::min());
}

}  // namespace

ChangeForecast::ChangeForecast(const SimulationPool& pool, const Eigen::VectorXd& observed,
                               const LocalTarget& target, bool target_is_prior,
                               LocalFitOptions options)
    : pool_(pool),
      observed_(observed),
      target_(target),
      target_is_prior_(target_is_prior),
      options_(std::move(options)) {
  options_.network = false;  // training it for each part would take too long
}

/// The larger of the two changes, for each parameter.
std::optional<Eigen::ArrayXd> ChangeForecast::squared_distance(const std::vector<Index>& part,
                                                               const MeanAndDeviation& whole,
                                                               const Moments& moments) const {
  try {
    const LocalFit answer =
        fit_locally(pool_.part(part), observed_, target_, target_is_prior_, options_,
                    [](long, long, double) { return Action::proceed; });
    const std::optional<MeanAndDeviation> own = moments(answer.posterior);
    if (!own) return std::nullopt;
    const Eigen::ArrayXd moved = (own->mean - whole.mean).array() / whole.deviation.array();
    const Eigen::ArrayXd scaled = (own->deviation.array() / whole.deviation.array()).log();
    return Eigen::ArrayXd(moved.square().max(scaled.square()));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::stopped && error.kind() != ErrorKind::input) throw;
    return std::nullopt;
  }
}

/// The simulations nearest to the observation that have half of the weight. Choosing them by their
/// statistics does not change the distribution of parameters given these.
std::vector<Index> ChangeForecast::nearest_half() const {
  const Eigen::VectorXd weights = pool_.weights_towards(target_);
  std::vector<Index> used;
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] > kForecastWeight) used.push_back(i);
  }
  const Eigen::MatrixXd statistics = pool_.statistics()(Eigen::all, used);
  Eigen::ArrayXd distance = Eigen::ArrayXd::Zero(statistics.cols());
  for (Index s = 0; s < statistics.rows(); ++s) {
    const auto row = statistics.row(s);
    const double scale = robust_scale({row.begin(), row.end()});
    const Eigen::ArrayXd squares = ((row.array() - observed_[s]) / scale).square().transpose();
    distance += squares / (1 + squares);  // one statistic that is far off must not decide
  }
  std::vector<std::size_t> order(used.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return distance[static_cast<Index>(a)] < distance[static_cast<Index>(b)];
  });
  double total = 0, sum = 0;
  for (const Index i : used) total += weights[i];
  std::vector<Index> half;
  for (const std::size_t place : order) {
    if (sum > 0.5 * total || half.size() == kLargestPart) break;
    sum += weights[used[place]];
    half.push_back(used[place]);
  }
  std::sort(half.begin(), half.end());
  return half;
}

double ChangeForecast::change(const LocalFit& fit, const Moments& moments) const {
  const std::optional<MeanAndDeviation> whole = moments(fit.posterior);
  if (!whole || pool_.size() < 2 * kFewestInPart) return kUnknown;
  const auto all = static_cast<std::size_t>(pool_.size());
  const std::size_t size = std::min(all / 2, kLargestPart);
  std::vector<Index> order(all);
  std::iota(order.begin(), order.end(), Index{0});
  Stream stream(options_.seed, {.purpose = Purpose::resampling});
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(whole->mean.size());
  double count = 0;
  for (int split = 0; split < kSplits; ++split) {
    stream.shuffle(std::span<Index>(order));
    for (const std::size_t begin : {std::size_t{0}, size}) {
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
      std::vector<Index> part(first, first + static_cast<std::ptrdiff_t>(size));
      std::sort(part.begin(), part.end());
      const auto squares = squared_distance(part, *whole, moments);
      if (!squares) continue;
      sum += *squares;
      ++count;
    }
  }
  if (count == 0) return kUnknown;
  // The error of n simulations has variance c / n. So the answer of m simulations differs from that
  // with all n by a variance of c / m - c / n, and the answer with n from that with 2 n by c / 2n.
  const double n = static_cast<double>(all), m = static_cast<double>(size);
  const double chance = 0.5 / n / (1 / m - 1 / n) * sum.maxCoeff() / count;
  const auto near = squared_distance(nearest_half(), *whole, moments);
  const double tempering = std::min(1.0, std::log(std::max(1.0, fit.tempering)));
  const double unfinished = 1 + kFewExamples / std::max(1.0, fit.effective_examples);
  const double bias =
      kOfNearness * (near ? near->maxCoeff() : 0) + kOfTempering * tempering * tempering;
  return std::sqrt(kOfChance * chance + unfinished * unfinished * bias);
}

}  // namespace epsfree
