// Compiled once per instruction set: see cmake/kernels.cmake for what may be included here.
#include "models/mg1_queue_kernel.hpp"

#include "models/lanes.hpp"

namespace epsfree::EPSFREE_ISA {
namespace {

static_assert(kMg1Lanes % kLanes == 0);

FloatLanes load(const float* values) {
  FloatLanes lanes;
  __builtin_memcpy(&lanes, values, sizeof(lanes));
  return lanes;
}
void store(FloatLanes lanes, float* values) { __builtin_memcpy(values, &lanes, sizeof(lanes)); }

/// The larger of each lane ends in `high`.
inline void compare_exchange(FloatLanes& low, FloatLanes& high) {
  const FloatLanes a = low, b = high;
  low = a < b ? a : b;
  high = a < b ? b : a;
}

/// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M): which
/// rows are compared does not depend on what they hold, so all lanes are sorted at once.
void sort_rows(FloatLanes* rows) {
  constexpr int kTop = 32;  // the largest power of two below kMg1Jobs
  static_assert(kTop < kMg1Jobs && kMg1Jobs <= 2 * kTop);
  for (int p = kTop; p > 0; p /= 2) {
    int r = 0;
    int d = p;
    for (int q = kTop;; q /= 2) {
      for (int i = 0; i < kMg1Jobs - d; ++i) {
        if ((i & p) == r) compare_exchange(rows[i], rows[i + d]);
      }
      if (q == p) break;
      d = q - p;
      r = p;
    }
  }
}

/// The lanes `first` .. `first` + kLanes - 1.
void simulate_lanes(const Mg1Input& input, int first, Mg1Output& output) {
  // Appendix G has the interdeparture time of job i as s_i + max(0, v_i - d_{i-1}). Only the
  // difference lead_i = v_i - d_{i-1} is kept: lead_{i+1} = min(0, lead_i) - s_i + (v_{i+1} - v_i).
  // It stays of the size of one waiting time, where v and d grow, and would lose their last digits
  // to each other.
  const FloatLanes shortest = load(input.shortest_service + first),
                   range = load(input.service_range + first);
  const FloatLanes mean_interarrival = load(input.mean_interarrival + first);
  PhiloxLanes random = {};
  __builtin_memcpy(&random.key_low, input.key_low + first, sizeof(random.key_low));
  __builtin_memcpy(&random.key_high, input.key_high + first, sizeof(random.key_high));
  const FloatLanes zero = {};
  FloatLanes interdepartures[kMg1Jobs];
  FloatLanes backlog = zero;  // min(0, lead) - s of the job before
  for (int job = 0; job < kMg1Jobs; job += 2) {
    WordLanes bits[4];
    next_block(random, bits);
    for (int i = 0; i < 2; ++i) {
      const FloatLanes service = shortest + range * uniform_lanes(bits[2 * i]);
      const FloatLanes lead = backlog + mean_interarrival * exponential_lanes(bits[2 * i + 1]);
      interdepartures[job + i] = service + (lead > 0.0f ? lead : zero);
      backlog = (lead < 0.0f ? lead : zero) - service;
    }
  }
  sort_rows(interdepartures);
  for (int i = 0; i < kMg1Jobs; ++i) store(interdepartures[i], output.sorted[i] + first);
}

}  // namespace

void simulate_mg1_queue(const Mg1Input& input, Mg1Output& output) {
  for (int first = 0; first < kMg1Lanes; first += kLanes) simulate_lanes(input, first, output);
}

}  // namespace epsfree::EPSFREE_ISA
