// 1 / sqrt(x) over an array, for kernel files.
#pragma once

#include <stddef.h>

#include "base/vector_math.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace epsfree::EPSFREE_ISA {

/// y = 1 / sqrt(x + offset). y may be x.
template <class T>
static inline void inverse_roots(const T* x, T offset, T* y, ptrdiff_t n) {
#pragma GCC ivdep
  for (ptrdiff_t i = 0; i < n; ++i) y[i] = T(1) / lane_sqrt(x[i] + offset);
}

#if defined(__AVX512F__)
// The 14-bit approximation and one Newton step, within 2 units in the last place: a root and a
// quotient in hardware take three times as long.
static inline __m512 inverse_root(__m512 x) {
  const __m512 y = _mm512_maskz_rsqrt14_ps(0xFFFF, x);
  const __m512 half = _mm512_mul_ps(_mm512_set1_ps(0.5f), x);
  const __m512 error = _mm512_fnmadd_ps(_mm512_mul_ps(half, y), y, _mm512_set1_ps(0.5f));
  return _mm512_fmadd_ps(y, error, y);
}

static inline void inverse_roots(const float* x, float offset, float* y, ptrdiff_t n) {
  const __m512 shift = _mm512_set1_ps(offset);
  ptrdiff_t i = 0;
  for (; i + 16 <= n; i += 16) {
    _mm512_storeu_ps(y + i, inverse_root(_mm512_add_ps(_mm512_loadu_ps(x + i), shift)));
  }
  if (i == n) return;
  const __mmask16 mask = static_cast<__mmask16>((1u << (n - i)) - 1u);
  const __m512 rest = _mm512_mask_loadu_ps(_mm512_set1_ps(1.0f), mask, x + i);
  _mm512_mask_storeu_ps(y + i, mask, inverse_root(_mm512_add_ps(rest, shift)));
}
#endif

}  // namespace epsfree::EPSFREE_ISA
