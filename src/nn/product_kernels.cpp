// Small matrix products C = A B for which a general library is slow: those of weight gradients,
// where the long side of A lies along the sum. Transposed once, it lies along C's columns, and a
// tile of C stays in registers for the whole sum. Compiled once per instruction set, but written
// for AVX-512 floats alone: see cmake/kernels.cmake for what may be included here.
#include "nn/kernels.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace epsfree::EPSFREE_ISA {

#if defined(__AVX512F__)
namespace {

constexpr int kLanes = 16;
// The most vectors of rows in a tile of C, and so the most rows without a cut.
constexpr int kMostVectors = 7;

// Up to kWidth rows below the whole vectors of a tile: a narrower vector takes half the time.
template <int kWidth>
struct Rest;
template <>
struct Rest<0> {
  struct Vector {};
  static Vector zero() { return {}; }
  static Vector load(const float*, unsigned) { return {}; }
  static Vector add_product(Vector, __m512, Vector sum) { return sum; }
  static void store(float*, unsigned, Vector) {}
};
template <>
struct Rest<4> {
  using Vector = __m128;
  static Vector zero() { return _mm_setzero_ps(); }
  static Vector load(const float* x, unsigned mask) {
    return _mm_maskz_loadu_ps(static_cast<__mmask8>(mask), x);
  }
  static Vector add_product(Vector x, __m512 y, Vector sum) {
    return _mm_fmadd_ps(x, __builtin_shufflevector(y, y, 0, 1, 2, 3), sum);
  }
  static void store(float* x, unsigned mask, Vector value) {
    _mm_mask_storeu_ps(x, static_cast<__mmask8>(mask), value);
  }
};
template <>
struct Rest<8> {
  using Vector = __m256;
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector load(const float* x, unsigned mask) {
    return _mm256_maskz_loadu_ps(static_cast<__mmask8>(mask), x);
  }
  static Vector add_product(Vector x, __m512 y, Vector sum) {
    return _mm256_fmadd_ps(x, __builtin_shufflevector(y, y, 0, 1, 2, 3, 4, 5, 6, 7), sum);
  }
  static void store(float* x, unsigned mask, Vector value) {
    _mm256_mask_storeu_ps(x, static_cast<__mmask8>(mask), value);
  }
};
template <>
struct Rest<16> {
  using Vector = __m512;
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector load(const float* x, unsigned mask) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), x);
  }
  static Vector add_product(Vector x, __m512 y, Vector sum) { return _mm512_fmadd_ps(x, y, sum); }
  static void store(float* x, unsigned mask, Vector value) {
    _mm512_mask_storeu_ps(x, static_cast<__mmask16>(mask), value);
  }
};

// Columns first .. first + kColumns - 1 of C in kVectors whole vectors of rows and a rest. Every
// entry is summed in the same order, whatever tile it falls into.
template <int kVectors, int kWidth, int kColumns>
void tile(const ProductOf<float>& of, ptrdiff_t first, unsigned mask) {
  using Low = Rest<kWidth>;
  __m512 sums[kColumns][kVectors > 0 ? kVectors : 1];
  typename Low::Vector rest[kColumns];
#pragma GCC unroll 16
  for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sums[j][v] = _mm512_setzero_ps();
    rest[j] = Low::zero();
  }
  const float* a = of.a;
  const float* b = of.b + first * of.b_stride;
  for (ptrdiff_t k = 0; k < of.depth; ++k, a += of.a_stride, ++b) {
    __m512 x[kVectors > 0 ? kVectors : 1];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) x[v] = _mm512_loadu_ps(a + kLanes * v);
    const typename Low::Vector low = Low::load(a + kLanes * kVectors, mask);
#pragma GCC unroll 16
    for (int j = 0; j < kColumns; ++j) {
      const __m512 y = _mm512_set1_ps(b[j * of.b_stride]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sums[j][v] = _mm512_fmadd_ps(x[v], y, sums[j][v]);
      rest[j] = Low::add_product(low, y, rest[j]);
    }
  }
#pragma GCC unroll 16
  for (int j = 0; j < kColumns; ++j) {
    float* const c = of.c + (first + j) * of.c_stride;
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) _mm512_storeu_ps(c + kLanes * v, sums[j][v]);
    Low::store(c + kLanes * kVectors, mask, rest[j]);
  }
}

// So many columns that all sums, and what they are made of, fit into 32 registers.
constexpr int most_columns(int num_vectors) {
  constexpr int kMost[kMostVectors + 1] = {0, 14, 12, 8, 7, 5, 4, 4};
  return kMost[num_vectors];
}

template <int kVectors, int kWidth>
void panel(const ProductOf<float>& of, ptrdiff_t columns, unsigned mask) {
  constexpr int kColumns = most_columns(kVectors + (kWidth > 0 ? 1 : 0));
  ptrdiff_t j = 0;
  for (; j + kColumns <= columns; j += kColumns) tile<kVectors, kWidth, kColumns>(of, j, mask);
  if constexpr (kColumns > 4) {
    for (; j + 4 <= columns; j += 4) tile<kVectors, kWidth, 4>(of, j, mask);
  }
  for (; j + 2 <= columns; j += 2) tile<kVectors, kWidth, 2>(of, j, mask);
  for (; j < columns; ++j) tile<kVectors, kWidth, 1>(of, j, mask);
}

template <int kVectors>
void panel_with_rest(const ProductOf<float>& of, ptrdiff_t columns, int rest) {
  const unsigned mask = (1u << rest) - 1u;
  if (rest == 0) {
    if constexpr (kVectors > 0) panel<kVectors, 0>(of, columns, 0);
  } else if (rest <= 4) {
    panel<kVectors, 4>(of, columns, mask);
  } else if (rest <= 8) {
    panel<kVectors, 8>(of, columns, mask);
  } else {
    panel<kVectors, 16>(of, columns, mask);
  }
}

void product(ptrdiff_t rows, ptrdiff_t columns, ProductOf<float> of) {
  constexpr ptrdiff_t kStep = (kMostVectors - 1) * kLanes;
  for (; rows >= kMostVectors * kLanes; rows -= kStep, of.a += kStep, of.c += kStep) {
    panel<kMostVectors - 1, 0>(of, columns, 0);
  }
  const int rest = static_cast<int>(rows % kLanes);
  switch (rows / kLanes) {
    case 0:
      return panel_with_rest<0>(of, columns, rest);
    case 1:
      return panel_with_rest<1>(of, columns, rest);
    case 2:
      return panel_with_rest<2>(of, columns, rest);
    case 3:
      return panel_with_rest<3>(of, columns, rest);
    case 4:
      return panel_with_rest<4>(of, columns, rest);
    case 5:
      return panel_with_rest<5>(of, columns, rest);
    default:
      return panel_with_rest<6>(of, columns, rest);
  }
}

// With masks of all ones: GCC 12 warns of an uninitialised value in the plain forms (GCC bug
// 105593).
__m512 low_pairs(__m512 x, __m512 y) { return _mm512_maskz_unpacklo_ps(0xFFFF, x, y); }
__m512 high_pairs(__m512 x, __m512 y) { return _mm512_maskz_unpackhi_ps(0xFFFF, x, y); }
__m512 low_quads(__m512 x, __m512 y) {
  return _mm512_castpd_ps(_mm512_maskz_unpacklo_pd(0xFF, _mm512_castps_pd(x), _mm512_castps_pd(y)));
}
__m512 high_quads(__m512 x, __m512 y) {
  return _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(0xFF, _mm512_castps_pd(x), _mm512_castps_pd(y)));
}
__m512 even_lanes(__m512 x, __m512 y) { return _mm512_maskz_shuffle_f32x4(0xFFFF, x, y, 0x88); }
__m512 odd_lanes(__m512 x, __m512 y) { return _mm512_maskz_shuffle_f32x4(0xFFFF, x, y, 0xDD); }

// Up to 16 x 16 entries: pairs, then fours, then whole quarters of vectors change places.
void transpose_block(const TransposeOf<float>& of, int rows, int columns) {
  const __mmask16 row_mask = static_cast<__mmask16>((1u << rows) - 1u);
  const __mmask16 column_mask = static_cast<__mmask16>((1u << columns) - 1u);
  __m512 x[kLanes], y[kLanes];
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) {
    x[i] = i < columns ? _mm512_maskz_loadu_ps(row_mask, of.from + i * of.from_stride)
                       : _mm512_setzero_ps();
  }
#pragma GCC unroll 8
  for (int i = 0; i < kLanes; i += 2) {
    y[i] = low_pairs(x[i], x[i + 1]);
    y[i + 1] = high_pairs(x[i], x[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < kLanes; i += 4) {
    x[i] = low_quads(y[i], y[i + 2]);
    x[i + 1] = high_quads(y[i], y[i + 2]);
    x[i + 2] = low_quads(y[i + 1], y[i + 3]);
    x[i + 3] = high_quads(y[i + 1], y[i + 3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    y[i] = even_lanes(x[i], x[i + 4]);
    y[i + 4] = odd_lanes(x[i], x[i + 4]);
    y[i + 8] = even_lanes(x[i + 8], x[i + 12]);
    y[i + 12] = odd_lanes(x[i + 8], x[i + 12]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    x[i] = even_lanes(y[i], y[i + 8]);
    x[i + 8] = odd_lanes(y[i], y[i + 8]);
    x[i + 4] = even_lanes(y[i + 4], y[i + 12]);
    x[i + 12] = odd_lanes(y[i + 4], y[i + 12]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) {
    if (i >= rows) break;
    _mm512_mask_storeu_ps(of.to + i * of.to_stride, column_mask, x[i]);
    if (of.squares != nullptr) {
      _mm512_mask_storeu_ps(of.squares + i * of.to_stride, column_mask, _mm512_mul_ps(x[i], x[i]));
    }
  }
}

void transpose(ptrdiff_t rows, ptrdiff_t columns, const TransposeOf<float>& of) {
  const auto part = [](ptrdiff_t left) { return static_cast<int>(left < kLanes ? left : kLanes); };
  for (ptrdiff_t j = 0; j < columns; j += kLanes) {
    for (ptrdiff_t i = 0; i < rows; i += kLanes) {
      TransposeOf<float> block = of;
      block.from += j * of.from_stride + i;
      block.to += i * of.to_stride + j;
      if (of.squares != nullptr) block.squares += i * of.to_stride + j;
      transpose_block(block, part(rows - i), part(columns - j));
    }
  }
}

}  // namespace

void add_product_kernels(Kernels<float>& kernels) {
  kernels.product = product;
  kernels.transpose = transpose;
}
#else
void add_product_kernels(Kernels<float>& kernels) {
  kernels.product = nullptr;
  kernels.transpose = nullptr;
}
#endif

void add_product_kernels(Kernels<double>& kernels) {
  kernels.product = nullptr;
  kernels.transpose = nullptr;
}

}  // namespace epsfree::EPSFREE_ISA
