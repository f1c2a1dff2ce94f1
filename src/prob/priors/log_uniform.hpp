// The log-uniform distribution on [low, high], from nearly equal bounds to hundreds of decades.
#pragma once

#include <cmath>

namespace epsfree {

/// log(high / low), where the quotient may overflow or be nearly one.
inline double log_ratio(double low, double high) {
  return high < 2 * low ? std::log1p((high - low) / low) : std::log(high) - std::log(low);
}

inline double log_uniform_mean(double low, double high) {
  return (high - low) / log_ratio(low, high);
}

inline double log_uniform_variance(double low, double high) {
  // With h = log(high / low) / 2 and g the geometric mean of the bounds, the mean is g sinh(h) / h
  // and the variance mean * g (cosh(h) - sinh(h) / h). The last factor is a difference of nearly
  // equal numbers for small h: there, its series.
  const double mean = log_uniform_mean(low, high);
  const double h = 0.5 * log_ratio(low, high);
  if (h > 0.5) return mean * (0.5 * low + 0.5 * high - mean);
  double term = h * h / 3, sum = term;  // of the terms 2k h^2k / (2k + 1)!
  for (int k = 2; k <= 8; ++k) {
    term *= h * h / ((2 * k - 2) * (2 * k + 1));
    sum += term;
  }
  return mean * std::sqrt(low) * std::sqrt(high) * sum;
}

}  // namespace epsfree
