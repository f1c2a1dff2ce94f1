// The vectorised normal generator behind Stream::fill_normal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace epsfree {

/// How many values one call of a normal kernel makes.
inline constexpr std::size_t kNormalBlock = 256;

// Writes block number `block` (kNormalBlock values) of the sequence that `key` names.
#define EPSFREE_DECLARE_NORMAL_KERNEL(isa)                         \
  namespace isa {                                                  \
  void normal_block(uint64_t key, uint64_t block, float* values);  \
  void normal_block(uint64_t key, uint64_t block, double* values); \
  }
EPSFREE_DECLARE_NORMAL_KERNEL(baseline)
EPSFREE_DECLARE_NORMAL_KERNEL(avx2)
EPSFREE_DECLARE_NORMAL_KERNEL(avx512)
#undef EPSFREE_DECLARE_NORMAL_KERNEL

/// The values of `key`'s sequence from its beginning: a shorter request gives a prefix of a longer.
void expand_normal(std::uint64_t key, float* values, std::size_t count);
void expand_normal(std::uint64_t key, double* values, std::size_t count);

}  // namespace epsfree
