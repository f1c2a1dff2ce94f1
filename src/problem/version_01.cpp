#include "problem/version_01.hpp"

#include <algorithm>
#include <array>

#include "infer/mdn/mdn_options.hpp"

namespace epsfree {

bool is_version_01(const Section& method) {
  static constexpr std::array kGroups = {"auto",    "abc",      "rejection", "mcmc",  "smc",
                                         "network", "training", "rounds",    "pilot", "synthetic"};
  return std::all_of(kGroups.begin(), kGroups.end(),
                     [&](const char* group) { return method.has(group); });
}

void convert_version_01(InferOptions& options) {
  const auto settings = mdn_settings(options.method);
  if (!settings) return;
  Index total = settings->pilot.planned();
  if (settings->rounds != nullptr) {
    total += settings->rounds->max_rounds * settings->rounds->num_simulations;
  }
  if (settings->training != nullptr) total += options.num_simulations;
  options.num_simulations = total;
}

}  // namespace epsfree
