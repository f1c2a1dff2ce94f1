#include "base/order_statistics.hpp"

#include <cmath>

namespace epsfree {
namespace {

double place_of(std::size_t size, double probability) {
  return probability * static_cast<double>(size - 1);
}

}  // namespace

double nth_smallest(std::vector<double>& values, std::size_t rank) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return median_of_sorted(values);
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

double upper_median(std::vector<double> values) { return nth_smallest(values, values.size() / 2); }

double interpolated_quantile(const std::vector<double>& sorted, double probability) {
  const double at = place_of(sorted.size(), probability);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

double lower_quantile(std::vector<double>& values, double probability) {
  return nth_smallest(values, static_cast<std::size_t>(place_of(values.size(), probability)));
}

double nearest_quantile(std::vector<double>& values, double probability) {
  return nth_smallest(values,
                      static_cast<std::size_t>(std::lround(place_of(values.size(), probability))));
}

}  // namespace epsfree
