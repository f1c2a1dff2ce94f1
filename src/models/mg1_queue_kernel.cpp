// Compiled once per instruction set: see cmake/kernels.cmake for what may be included here.
#include "models/mg1_queue_kernel.hpp"

#include "base/philox_lanes.hpp"
#include "base/vector_math.hpp"

namespace epsfree::EPSFREE_ISA {
namespace {

constexpr int kRounds = 7;  // as many as BigCrush needs; the stream that drew the key has ten

/// The larger of each lane ends in `high`.
inline void compare_exchange(float* low, float* high) {
  for (int i = 0; i < kMg1Lanes; ++i) {
    const float a = low[i];
    const float b = high[i];
    low[i] = a < b ? a : b;
    high[i] = a < b ? b : a;
  }
}

/// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M): which
/// rows are compared does not depend on what they hold, so all lanes are sorted at once.
void sort_rows(float (*rows)[kMg1Lanes]) {
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

}  // namespace

void simulate_mg1_queue(const Mg1Input& input, Mg1Output& output) {
  // Appendix G has the interdeparture time of job i as s_i + max(0, v_i - d_{i-1}). Only the
  // difference lead_i = v_i - d_{i-1} is kept: lead_{i+1} = min(0, lead_i) - s_i + (v_{i+1} - v_i).
  // It stays of the size of one waiting time, where v and d grow, and would lose their last digits
  // to each other.
  alignas(64) float backlog[kMg1Lanes] = {};  // min(0, lead) - s of the job before
  for (int pair = 0; pair < kMg1Jobs / 2; ++pair) {
    float* first = output.sorted[2 * pair];
    float* second = output.sorted[2 * pair + 1];
    for (int i = 0; i < kMg1Lanes; ++i) {
      const uint64_t key = input.key_low[i] | (static_cast<uint64_t>(input.key_high[i]) << 32);
      const PhiloxBlock bits = philox4x32<kRounds>(key, static_cast<uint64_t>(pair), 0);
      const float service1 =
          input.shortest_service[i] + input.service_range[i] * lane_uniform(bits.a);
      const float lead1 = backlog[i] - input.mean_interarrival[i] * lane_log(lane_uniform(bits.b));
      const float service2 =
          input.shortest_service[i] + input.service_range[i] * lane_uniform(bits.c);
      const float lead2 = (lead1 < 0.0f ? lead1 : 0.0f) - service1 -
                          input.mean_interarrival[i] * lane_log(lane_uniform(bits.d));
      first[i] = service1 + (lead1 > 0.0f ? lead1 : 0.0f);
      second[i] = service2 + (lead2 > 0.0f ? lead2 : 0.0f);
      backlog[i] = (lead2 < 0.0f ? lead2 : 0.0f) - service2;
    }
  }
  sort_rows(output.sorted);
}

}  // namespace epsfree::EPSFREE_ISA
