// Gillespie's (1977) algorithm for the Lotka-Volterra model as a textbook has it, one reaction at a
// time, in double precision: the independent reference for the vectorised simulator.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "epsfree/stream.hpp"

namespace epsfree {

struct TextbookSeries {
  std::vector<double> predators, prey;
};

/// The populations at times 0, 0.2, ..., 30; nothing if more than 10,000 reactions happen before.
inline std::optional<TextbookSeries> textbook_gillespie(const std::array<double, 4>& rates,
                                                        Stream& stream) {
  TextbookSeries series;
  series.predators.reserve(151);
  series.prey.reserve(151);
  double x = 50, y = 100, time = 0;
  long reactions = 0;
  for (;;) {
    const double birth = rates[0] * x * y, death = rates[1] * x;
    const double prey_birth = rates[2] * y, eaten = rates[3] * x * y;
    const double total = birth + death + prey_birth + eaten;
    time += total > 0 ? -std::log(stream.uniform()) / total : 1e9;
    while (series.prey.size() < 151 && 0.2 * static_cast<double>(series.prey.size()) < time) {
      series.predators.push_back(x);
      series.prey.push_back(y);
    }
    if (series.prey.size() == 151) return series;
    if (++reactions > 10000) return std::nullopt;
    const double choice = stream.uniform() * total;
    if (choice < birth) {
      x += 1;
    } else if (choice < birth + death) {
      x -= 1;
    } else if (choice < birth + death + prey_birth) {
      y += 1;
    } else {
      y -= 1;
    }
  }
}

}  // namespace epsfree
