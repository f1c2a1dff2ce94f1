// The kernel behind fill_noise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace epsfree {

/// How many values one call of a noise kernel makes.
inline constexpr std::size_t kNoiseBlock = 256;

// Writes block number `block` (kNoiseBlock values) of the sequence that `key` names.
#define EPSFREE_DECLARE_NOISE_KERNEL(isa)                        \
  namespace isa {                                                \
  void noise_block(uint64_t key, uint64_t block, float* values); \
  }
EPSFREE_DECLARE_NOISE_KERNEL(baseline)
EPSFREE_DECLARE_NOISE_KERNEL(avx2)
EPSFREE_DECLARE_NOISE_KERNEL(avx512)
#undef EPSFREE_DECLARE_NOISE_KERNEL

}  // namespace epsfree
