#include "diagnose/calibration/ecdf_bands.hpp"

#include <algorithm>
#include <cmath>

#include "base/require.hpp"

namespace epsfree {
namespace {

constexpr Index kMaxPoints = 100;
// So small a probability is bounded by the sum over the points, which is cheaper and close there.
constexpr double kTiny = 1e-9;
// Probabilities that are equal by symmetry differ in their last digits.
constexpr double kTied = 1 + 1e-9;

}  // namespace

EcdfBands::EcdfBands(Index count, Index num_samples) : count_(count), num_samples_(num_samples) {
  require(count >= 1, "the number of ranks", count, "at least 1");
  require(num_samples >= 1, "the number of samples", num_samples, "at least 1");
  const Index num_cells = num_samples + 1;
  const Index num_points = std::min(kMaxPoints, num_cells) - 1;
  for (Index k = 1; k <= num_points; ++k) {
    cells_.push_back(static_cast<int>(k * num_cells / (num_points + 1)));
  }
  log_factorial_.resize(static_cast<std::size_t>(count) + 1);
  for (std::size_t n = 1; n < log_factorial_.size(); ++n) {
    log_factorial_[n] = log_factorial_[n - 1] + std::log(static_cast<double>(n));
  }
  below_.resize(count + 1, num_points);
  for (Index k = 0; k < num_points; ++k) {
    const double log_p = std::log(z(k)), log_q = std::log1p(-z(k));
    double sum = 0;
    for (Index c = 0; c <= count; ++c) {
      const auto at = static_cast<std::size_t>(c), rest = static_cast<std::size_t>(count - c);
      sum += std::exp(log_factorial_.back() - log_factorial_[at] - log_factorial_[rest] +
                      static_cast<double>(c) * log_p + static_cast<double>(count - c) * log_q);
      below_(c, k) = std::min(sum, 1.0);
    }
  }
}

double EcdfBands::z(Index k) const {
  return cells_[static_cast<std::size_t>(k)] / static_cast<double>(num_samples_ + 1);
}

Eigen::VectorXi EcdfBands::counts_of(const Eigen::Ref<const Eigen::VectorXi>& ranks) const {
  Eigen::VectorXi counts(num_points());
  for (Index k = 0; k < num_points(); ++k) {
    counts[k] = static_cast<int>((ranks.array() < cells_[static_cast<std::size_t>(k)]).count());
  }
  return counts;
}

double EcdfBands::pointwise_p(Index k, int count) const {
  const double low = below_(count, k);
  const double high = count == 0 ? 1 : 1 - below_(count - 1, k);
  return 2 * std::min(low, high);
}

EcdfBands::Limits EcdfBands::within(double gamma) const {
  Limits limits{Eigen::VectorXi(num_points()), Eigen::VectorXi(num_points())};
  for (Index k = 0; k < num_points(); ++k) {
    int low = 0, high = static_cast<int>(count_);
    while (low < high && pointwise_p(k, low) <= gamma * kTied) ++low;
    while (high > low && pointwise_p(k, high) <= gamma * kTied) --high;
    limits.lower[k] = low;
    limits.upper[k] = high;
  }
  return limits;
}

double EcdfBands::probability_within(const Limits& limits) const {
  // P(counts so far all within, the last one c), for c from `first` on.
  std::vector<double> now = {1}, next;
  int first = 0;
  double z_before = 0;
  for (Index k = 0; k < num_points(); ++k) {
    // Each rank that is not yet below falls into this step with the same probability.
    const double p = (z(k) - z_before) / (1 - z_before);
    const double log_p = std::log(p), log_q = std::log1p(-p), odds = p / (1 - p);
    z_before = z(k);
    next.assign(static_cast<std::size_t>(limits.upper[k] - limits.lower[k] + 1), 0);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const int c = first + static_cast<int>(i);
      const int rest = static_cast<int>(count_) - c;
      const int least = std::max(c, limits.lower[k]) - c, most = limits.upper[k] - c;
      if (least > most) continue;
      // From the likeliest step on by the ratios of neighbours, which needs one exponential.
      const int mode = std::clamp(static_cast<int>((rest + 1) * p), least, most);
      const double at_mode =
          now[i] * std::exp(log_factorial_[static_cast<std::size_t>(rest)] -
                            log_factorial_[static_cast<std::size_t>(mode)] -
                            log_factorial_[static_cast<std::size_t>(rest - mode)] + mode * log_p +
                            (rest - mode) * log_q);
      double* const to = next.data() + (c - limits.lower[k]);
      to[mode] += at_mode;
      double term = at_mode;
      for (int step = mode; step < most; ++step) {
        term *= (rest - step) / (step + 1.0) * odds;
        to[step + 1] += term;
      }
      term = at_mode;
      for (int step = mode; step > least; --step) {
        term *= step / (rest - step + 1.0) / odds;
        to[step - 1] += term;
      }
    }
    now.swap(next);
    first = limits.lower[k];
  }
  double sum = 0;
  for (const double each : now) sum += each;
  return std::min(sum, 1.0);
}

double EcdfBands::p_value(const Eigen::Ref<const Eigen::VectorXi>& ranks) const {
  require(ranks.size() == count_, "the number of ranks", ranks.size(),
          "that of the bands, " + std::to_string(count_));
  const Eigen::VectorXi counts = counts_of(ranks);
  double gamma = 1;
  for (Index k = 0; k < num_points(); ++k) gamma = std::min(gamma, pointwise_p(k, counts[k]));
  if (gamma >= 1) return 1;
  const double bound = gamma * static_cast<double>(num_points());
  if (bound < kTiny) return bound;
  return std::max(0.0, 1 - probability_within(within(gamma)));
}

EcdfBands::Limits EcdfBands::limits(double level) const {
  require(level > 0 && level < 1, "the level", level, "between 0 and 1");
  double low = level / static_cast<double>(num_points()), high = level;  // of the pointwise level
  for (int step = 0; step < 20; ++step) {
    const double middle = std::sqrt(low * high);
    (1 - probability_within(within(middle)) <= level ? low : high) = middle;
  }
  return within(low);
}

}  // namespace epsfree
