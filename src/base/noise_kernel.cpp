// Compiled once per instruction set: see cmake/kernels.cmake for what may be included here.
#include "base/noise_kernel.hpp"

#include "base/philox_lanes.hpp"
#include "base/vector_math.hpp"

namespace epsfree::EPSFREE_ISA {
namespace {

// Two standard normals from one word (Box & Muller 1958): the upper half gives the radius, the
// lower one signs, which of the two is the larger, and an angle of up to an eighth of a turn.
inline void noise_pair(uint32_t word, float& x, float& y) {
  // r^2 = -2 log u, u = t / 2^16 = 2^e (1 + a): the bits of t, read as a whole number, are a
  // piecewise linear logarithm, which is mended by a (1 - a) q(a). It vanishes at both ends, so
  // that r^2 stays precise near zero.
  const float t = static_cast<float>(static_cast<int32_t>(word >> 16)) + 0.5f;
  const float line = static_cast<float>(static_cast<int32_t>(bits_of(t)) - 0x47800000);  // 2^16
  const float a = float_of((bits_of(t) & 0x007fffffu) | 0x3f800000u) - 1.0f;
  float q = -0x1.3121a8p-5f;
  q = q * a + 0x1.1ab77ep-3f;
  q = q * a - 0x1.077b2ep-2f;
  q = q * a + 0x1.890ba8p-2f;
  q = q * a - 0x1.3a3200p-1f;
  const float radius = lane_sqrt((a - a * a) * q + line * -0x1.62e430p-23f);  // 2 log 2 / 2^23

  const float u = (static_cast<float>(static_cast<int32_t>(word & 0x1fffu)) + 0.5f) * 0x1p-13f;
  const float z = u * u;
  const float sine = u * ((0x1.3f4d9ep-9f * z - 0x1.4aa68ap-4f) * z + 0x1.921f90p-1f);
  const float cosine = (0x1.f7b416p-7f * z - 0x1.3ba49ap-2f) * z + 0x1.fffeb2p-1f;
  const bool swap = (word & 0x2000u) != 0;
  x = radius * float_of(bits_of(swap ? sine : cosine) ^ ((word << 16) & 0x80000000u));
  y = radius * float_of(bits_of(swap ? cosine : sine) ^ ((word << 17) & 0x80000000u));
}

}  // namespace

void noise_block(uint64_t key, uint64_t block, float* values) {
  // As in normal_kernel.cpp.
  constexpr int kRounds = 7;
  constexpr int kPairs = kNoiseBlock / 2;
  constexpr int kCounters = kPairs / 4;
  const uint64_t first = block * kCounters;  // ends in zeros: the lanes cause no carry
  uint32_t words[4][kCounters];
  philox4x32_run<kRounds, kCounters>(key, static_cast<uint32_t>(first),
                                     static_cast<uint32_t>(first >> 32), words);
  float* __restrict x = values;
  float* __restrict y = values + kPairs;
  for (int w = 0; w < 4; ++w, x += kCounters, y += kCounters) {
    for (int i = 0; i < kCounters; ++i) noise_pair(words[w][i], x[i], y[i]);
  }
}

}  // namespace epsfree::EPSFREE_ISA
