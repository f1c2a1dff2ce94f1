// Philox4x32 (Salmon, Moraes, Dror & Shaw 2011) for kernel files: one block per call, inlined into
// a loop over lanes that the compiler vectorises. The same numbers as Random123's philox4x32.
#pragma once

#include <stdint.h>

namespace epsfree::EPSFREE_ISA {

/// 128 random bits.
struct PhiloxBlock {
  uint32_t a, b, c, d;
  uint64_t low() const { return a | (static_cast<uint64_t>(b) << 32); }
  uint64_t high() const { return c | (static_cast<uint64_t>(d) << 32); }
};

/// Seven rounds are the fewest that pass BigCrush (their table 2); ten are their default, with a
/// margin. A random 64-bit key gives a sequence of its own over the 128-bit counter.
/// Key words k, l and counter words a, b, c, d, the lowest first.
template <int kRounds>
static inline PhiloxBlock philox4x32(uint32_t k, uint32_t l, uint32_t a, uint32_t b, uint32_t c,
                                     uint32_t d) {
#pragma GCC unroll 10
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t p = static_cast<uint64_t>(a) * 0xd2511f53u;
    const uint64_t q = static_cast<uint64_t>(c) * 0xcd9e8d57u;
    a = static_cast<uint32_t>(q >> 32) ^ b ^ k;
    b = static_cast<uint32_t>(q);
    c = static_cast<uint32_t>(p >> 32) ^ d ^ l;
    d = static_cast<uint32_t>(p);
    k += 0x9e3779b9u;
    l += 0xbb67ae85u;
  }
  return {a, b, c, d};
}

/// The same with key and counter as 64-bit words.
template <int kRounds>
static inline PhiloxBlock philox4x32(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
  return philox4x32<kRounds>(
      static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32),
      static_cast<uint32_t>(counter_low), static_cast<uint32_t>(counter_low >> 32),
      static_cast<uint32_t>(counter_high), static_cast<uint32_t>(counter_high >> 32));
}

}  // namespace epsfree::EPSFREE_ISA
