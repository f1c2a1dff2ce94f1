// Whether two samples come from one distribution.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace epsfree {

/// The asymptotic p-value of the two-sample Kolmogorov-Smirnov test; too large where values are
/// tied, so never the cause of a false alarm.
inline double kolmogorov_smirnov(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  double largest = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == value) ++i;
    while (j < b.size() && b[j] == value) ++j;
    largest = std::max(largest, std::abs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  const double scaled = largest * std::sqrt(n * m / (n + m));
  if (scaled < 0.3) return 1;
  double p = 0;
  for (int k = 1; k <= 100; ++k) {
    p += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * scaled * scaled);
  }
  return std::clamp(p, 0.0, 1.0);
}

/// How many standard errors two proportions a/n and b/m lie apart.
inline double proportion_z(long a, long n, long b, long m) {
  const double pooled = static_cast<double>(a + b) / static_cast<double>(n + m);
  const double variance =
      pooled * (1 - pooled) * (1 / static_cast<double>(n) + 1 / static_cast<double>(m));
  if (variance == 0) return 0;
  return (static_cast<double>(a) / static_cast<double>(n) -
          static_cast<double>(b) / static_cast<double>(m)) /
         std::sqrt(variance);
}

}  // namespace epsfree
