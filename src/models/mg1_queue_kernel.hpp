// The vectorised simulation behind the M/G/1 queue model.
#pragma once

#include <stdint.h>

namespace epsfree {

inline constexpr int kMg1Jobs = 50;
/// Runs side by side: arrays of the kernel have this many columns.
inline constexpr int kMg1Lanes = 16;

/// Parameters and keys of kMg1Lanes runs.
struct alignas(64) Mg1Input {
  float shortest_service[kMg1Lanes];
  float service_range[kMg1Lanes];  // longest minus shortest
  float mean_interarrival[kMg1Lanes];
  uint32_t key_low[kMg1Lanes], key_high[kMg1Lanes];
};

/// Interdeparture times, sorted: row i holds the i-th smallest of each run.
struct alignas(64) Mg1Output {
  float sorted[kMg1Jobs][kMg1Lanes];
};

// Lane i depends on column i of the input alone.
#define EPSFREE_DECLARE_MG1_KERNEL(isa)                              \
  namespace isa {                                                    \
  void simulate_mg1_queue(const Mg1Input& input, Mg1Output& output); \
  }
EPSFREE_DECLARE_MG1_KERNEL(baseline)
EPSFREE_DECLARE_MG1_KERNEL(avx2)
EPSFREE_DECLARE_MG1_KERNEL(avx512)
#undef EPSFREE_DECLARE_MG1_KERNEL

}  // namespace epsfree
