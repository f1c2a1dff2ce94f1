// The M/G/1 queue as appendix G writes it, in double precision: the independent reference for the
// vectorised simulator.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "epsfree/stream.hpp"

namespace epsfree {

/// The five percentiles of the interdeparture times of 50 jobs.
inline std::array<double, 5> textbook_queue(double theta1, double theta2, double theta3,
                                            Stream& stream) {
  double arrival = 0, departure = 0;
  std::vector<double> interdepartures;
  for (int job = 0; job < 50; ++job) {
    const double service = stream.uniform(theta1, theta2);
    arrival += stream.exponential() / theta3;
    const double interdeparture = service + std::max(0.0, arrival - departure);
    departure += interdeparture;
    interdepartures.push_back(interdeparture);
  }
  std::sort(interdepartures.begin(), interdepartures.end());
  std::array<double, 5> percentiles;
  for (std::size_t k = 0; k < 5; ++k) {
    const double position = 49 * static_cast<double>(k) / 4;
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min<std::size_t>(below + 1, 49);
    const double share = position - static_cast<double>(below);
    percentiles[k] = (1 - share) * interdepartures[below] + share * interdepartures[above];
  }
  return percentiles;
}

}  // namespace epsfree
