// Simulations side by side, for kernel files: vectors of one value per simulation, as wide as the
// instruction set's registers (GCC lowers wider ones badly). Written out, because compilers do not
// see a 32-bit multiplication in Philox's scalar form, and vectorise it with 64-bit ones.
#pragma once

#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "base/vector_math.hpp"

namespace epsfree::EPSFREE_ISA {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
typedef float FloatLanes __attribute__((vector_size(4 * kLanes)));
typedef int32_t IntLanes __attribute__((vector_size(4 * kLanes)));  // also masks: -1 is true
typedef uint32_t WordLanes __attribute__((vector_size(4 * kLanes)));
typedef uint64_t HalfLanes __attribute__((vector_size(4 * kLanes)));  // every other lane

static inline FloatLanes all_lanes(float value) { return FloatLanes{} + value; }

/// The product of the lower 32 bits of each, whatever the upper 32 bits hold.
static inline HalfLanes multiply_low(HalfLanes a, uint32_t factor) {
#if defined(__AVX512F__)
  // With a mask of all: the form without one trips GCC 12's warning about its own headers.
  return (HalfLanes)_mm512_maskz_mul_epu32(0xff, (__m512i)a, _mm512_set1_epi64(factor));
#elif defined(__AVX2__)
  return (HalfLanes)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(factor));
#elif defined(__SSE2__)
  return (HalfLanes)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(factor));
#else
  return (a & 0xffffffffu) * uint64_t{factor};
#endif
}

/// Keys of one sequence of random numbers per lane, and how many blocks of it are used up.
struct PhiloxLanes {
  WordLanes key_low, key_high, counter;

  void set(int lane, uint64_t key) {
    key_low[lane] = static_cast<uint32_t>(key);
    key_high[lane] = static_cast<uint32_t>(key >> 32);
    counter[lane] = 0;
  }
};

/// Philox4x32 (Salmon et al. 2011; base/philox_lanes.hpp) with seven rounds, as many as pass
/// BigCrush; the stream that draws the keys has ten. Writes the next block of every lane.
static inline void next_block(PhiloxLanes& state, WordLanes (&words)[4]) {
  // Lanes 0, 2, ... and lanes 1, 3, ... apart: each lane then has 64 bits for its products, of
  // which the upper 32 are ignored wherever they are not the upper half of a product.
  HalfLanes out[2][4];
  for (int odd = 0; odd < 2; ++odd) {
    const int shift = 32 * odd;
    HalfLanes a = (HalfLanes)state.counter >> shift, b = {}, c = {}, d = {};
    HalfLanes k = (HalfLanes)state.key_low >> shift, l = (HalfLanes)state.key_high >> shift;
#pragma GCC unroll 7
    for (int round = 0; round < 7; ++round) {
      const HalfLanes p = multiply_low(a, 0xd2511f53u);
      const HalfLanes q = multiply_low(c, 0xcd9e8d57u);
      a = (q >> 32) ^ b ^ k;
      b = q;
      c = (p >> 32) ^ d ^ l;
      d = p;
      k += 0x9e3779b9u;
      l += 0xbb67ae85u;
    }
    out[odd][0] = a;
    out[odd][1] = b;
    out[odd][2] = c;
    out[odd][3] = d;
  }
  for (int i = 0; i < 4; ++i) {
    words[i] = (WordLanes)((out[0][i] & 0xffffffffu) | (out[1][i] << 32));
  }
  state.counter += 1;
}

/// Uniform on (0, 1], as lane_uniform.
static inline FloatLanes uniform_lanes(WordLanes words) {
  const FloatLanes whole = __builtin_convertvector((IntLanes)(words >> 1), FloatLanes);
  return (whole + 0.5f) * 0x1p-31f;
}

/// Multiples of 2^-24, zero included and one not.
static inline FloatLanes uniform_below_one_lanes(WordLanes words) {
  return __builtin_convertvector((IntLanes)(words >> 8), FloatLanes) * 0x1p-24f;
}

/// Exponential with mean one: -log of a uniform.
static inline FloatLanes exponential_lanes(WordLanes words) {
  alignas(64) float values[kLanes];
  const FloatLanes uniform = uniform_lanes(words);
  __builtin_memcpy(values, &uniform, sizeof(values));
  for (int i = 0; i < kLanes; ++i) values[i] = -lane_log(values[i]);
  FloatLanes exponential;
  __builtin_memcpy(&exponential, values, sizeof(values));
  return exponential;
}

/// A mask as a number: bit i is lane i.
static inline uint32_t mask_bits(IntLanes mask) {
#if defined(__AVX512DQ__)
  return _mm512_movepi32_mask((__m512i)mask);
#elif defined(__AVX2__)
  return static_cast<uint32_t>(_mm256_movemask_ps((__m256)mask));
#elif defined(__SSE2__)
  return static_cast<uint32_t>(_mm_movemask_ps((__m128)mask));
#else
  uint32_t bits = 0;
  for (int i = 0; i < kLanes; ++i) bits |= (static_cast<uint32_t>(mask[i]) & 1u) << i;
  return bits;
#endif
}

}  // namespace epsfree::EPSFREE_ISA
