#include "epsfree/summary.hpp"

#include <numeric>

namespace epsfree {

long SimulationCounts::total() const {
  return std::accumulate(by_status.begin(), by_status.end(), 0L);
}

void SimulationCounts::add(const std::array<long, kNumSimStatuses>& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) by_status[i] += counts[i];
}

long SimulationCounts::num_faults() const {
  long count = 0;
  for (std::size_t i = 0; i < by_status.size(); ++i) {
    if (is_fault(static_cast<SimStatus>(i))) count += by_status[i];
  }
  return count;
}

bool Summary::is_abc() const {
  return method == "rejection-abc" || method == "mcmc-abc" || method == "smc-abc";
}

}  // namespace epsfree
