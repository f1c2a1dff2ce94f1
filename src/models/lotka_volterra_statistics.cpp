#include "models/lotka_volterra_statistics.hpp"

#include <cmath>

namespace epsfree {
namespace {

constexpr std::int64_t kN = kLotkaVolterraRecords;

std::int64_t sum_of_products(const std::uint16_t* a, const std::uint16_t* b, int count) {
  std::uint64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += std::uint32_t{a[i]} * std::uint32_t{b[i]};
  return static_cast<std::int64_t>(sum);
}

/// Populations are whole numbers, so all sums are exact, and so is N^2 times a sum of products of
/// deviations from the mean: below 2^63 for populations below 2^14.
struct Moments {
  explicit Moments(const std::uint16_t* series) : values(series) {
    for (int i = 0; i < kN; ++i) sum += values[i];
    deviations = kN * sum_of_products(values, values, kN) - sum * sum;
  }

  double mean() const { return static_cast<double>(sum) / kN; }
  double log_variance_plus_one() const {
    return std::log1p(static_cast<double>(deviations) / (kN * (kN - 1)));
  }
  double autocorrelation(int lag) const {
    if (deviations == 0) return 0;
    std::int64_t head = sum, tail = sum;  // of all but the last `lag` values, all but the first
    for (int i = 0; i < lag; ++i) {
      head -= values[kN - 1 - i];
      tail -= values[i];
    }
    const std::int64_t products = kN * kN * sum_of_products(values, values + lag, kN - lag) -
                                  kN * sum * (head + tail) + (kN - lag) * sum * sum;
    return static_cast<double>(products) /
           (static_cast<double>(kN) * static_cast<double>(deviations));
  }

  const std::uint16_t* values;
  std::int64_t sum = 0;
  std::int64_t deviations = 0;  // N sum_i (x_i - mean)^2
};

}  // namespace

LotkaVolterraStatistics lotka_volterra_statistics(const LotkaVolterraSeries& series) {
  const Moments x(series.predators), y(series.prey);
  double cross_correlation = 0;
  if (x.deviations > 0 && y.deviations > 0) {
    const std::int64_t products = kN * sum_of_products(x.values, y.values, kN) - x.sum * y.sum;
    cross_correlation =
        static_cast<double>(products) /
        std::sqrt(static_cast<double>(x.deviations) * static_cast<double>(y.deviations));
  }
  LotkaVolterraStatistics statistics;
  statistics << x.mean(), y.mean(), x.log_variance_plus_one(), y.log_variance_plus_one(),
      x.autocorrelation(1), x.autocorrelation(2), y.autocorrelation(1), y.autocorrelation(2),
      cross_correlation;
  return statistics;
}

}  // namespace epsfree
