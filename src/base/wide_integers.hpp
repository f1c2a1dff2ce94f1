// 64-bit integer vectors for kernel files, of the widest kind that the instruction set has: what
// Philox needs and the compiler does not find by itself, a 32 x 32 -> 64 bit product per lane.
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define EPSFREE_HAS_WIDE_INTEGERS 1

namespace epsfree::EPSFREE_ISA {

#if defined(__AVX512F__)
using Wide = __m512i;
constexpr int kWideLanes = 8;
static inline Wide wide_load(const uint64_t* x) { return _mm512_loadu_si512(x); }
static inline void wide_store(uint32_t* x, Wide value) { _mm512_storeu_si512(x, value); }
static inline Wide wide_all(uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
static inline Wide wide_add(Wide x, Wide y) { return _mm512_add_epi64(x, y); }
// With a mask of all ones: GCC 12 warns of an uninitialised value in the plain forms (GCC bug
// 105593).
/// The product of the low halves.
static inline Wide wide_product(Wide x, Wide y) { return _mm512_maskz_mul_epu32(0xFF, x, y); }
static inline Wide wide_high(Wide x) { return _mm512_maskz_srli_epi64(0xFF, x, 32); }
static inline Wide wide_xor(Wide x, Wide y, Wide z) {
  return _mm512_ternarylogic_epi64(x, y, z, 0x96);
}
/// Low halves of x in even, of y in odd places.
static inline Wide wide_interleave(Wide x, Wide y) {
  return _mm512_mask_shuffle_epi32(x, 0xAAAA, y, static_cast<_MM_PERM_ENUM>(0xA0));
}
#elif defined(__AVX2__)
using Wide = __m256i;
constexpr int kWideLanes = 4;
static inline Wide wide_load(const uint64_t* x) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
}
static inline void wide_store(uint32_t* x, Wide value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(x), value);
}
static inline Wide wide_all(uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
static inline Wide wide_add(Wide x, Wide y) { return _mm256_add_epi64(x, y); }
static inline Wide wide_product(Wide x, Wide y) { return _mm256_mul_epu32(x, y); }
static inline Wide wide_high(Wide x) { return _mm256_srli_epi64(x, 32); }
static inline Wide wide_xor(Wide x, Wide y, Wide z) {
  return _mm256_xor_si256(_mm256_xor_si256(x, y), z);
}
static inline Wide wide_interleave(Wide x, Wide y) {
  return _mm256_blend_epi32(x, _mm256_slli_epi64(y, 32), 0xAA);
}
#else
using Wide = __m128i;
constexpr int kWideLanes = 2;
static inline Wide wide_load(const uint64_t* x) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
}
static inline void wide_store(uint32_t* x, Wide value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(x), value);
}
static inline Wide wide_all(uint64_t x) { return _mm_set1_epi64x(static_cast<long long>(x)); }
static inline Wide wide_add(Wide x, Wide y) { return _mm_add_epi64(x, y); }
static inline Wide wide_product(Wide x, Wide y) { return _mm_mul_epu32(x, y); }
static inline Wide wide_high(Wide x) { return _mm_srli_epi64(x, 32); }
static inline Wide wide_xor(Wide x, Wide y, Wide z) {
  return _mm_xor_si128(_mm_xor_si128(x, y), z);
}
static inline Wide wide_interleave(Wide x, Wide y) {
  const Wide low = _mm_set1_epi64x(0xffffffff);
  return _mm_or_si128(_mm_and_si128(x, low), _mm_slli_epi64(y, 32));
}
#endif

}  // namespace epsfree::EPSFREE_ISA
#endif
