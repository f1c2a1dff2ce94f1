// Compiled once per instruction set: see cmake/kernels.cmake for what may be included here.
#include "prob/mixtures/mixture_kernels.hpp"

#include "base/vector_math.hpp"

namespace epsfree::EPSFREE_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kWidth = 8;
#elif defined(__AVX2__)
constexpr int kWidth = 4;
#else
constexpr int kWidth = 2;
#endif
// One register; read and written at any address.
typedef double Vector __attribute__((vector_size(kWidth * sizeof(double)), aligned(8), may_alias));

constexpr int kTile = static_cast<int>(kMixtureTile);
// Columns of a tile of products that are summed at a time: all sums must stay in registers.
constexpr int kColumns = kWidth == 8 ? 4 : 2;
// So many examples at a time stay in the first cache for all tiles.
constexpr ptrdiff_t kBlock = 16 * kMixtureLanes;

inline Vector load(const double* from) { return *reinterpret_cast<const Vector*>(from); }
inline void store(double* to, Vector value) { *reinterpret_cast<Vector*>(to) = value; }

void log_densities(const MixtureExamples& examples, const MixtureFactor& factor, double* values) {
  constexpr int kVectors = 2;
  static_assert(kMixtureLanes % (kVectors * kWidth) == 0);
  for (ptrdiff_t n = 0; n < examples.rows; n += kVectors * kWidth) {
    Vector square[kVectors] = {};
    const double* a = factor.tiles;
    for (ptrdiff_t row = 0; row < examples.dim; row += kTile) {
      Vector y[kTile][kVectors];
#pragma GCC unroll 4
      for (int r = 0; r < kTile; ++r) {
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) y[r][v] = Vector{} - factor.centre[row + r];
      }
      const double* x = examples.points + n;
      for (ptrdiff_t j = 0; j < row + kTile; ++j, x += examples.rows, a += kTile) {
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) {
          const Vector xs = load(x + v * kWidth);
#pragma GCC unroll 4
          for (int r = 0; r < kTile; ++r) y[r][v] += xs * a[r];
        }
      }
#pragma GCC unroll 4
      for (int r = 0; r < kTile; ++r) {
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) square[v] += y[r][v] * y[r][v];
      }
    }
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      store(values + n + v * kWidth, factor.constant - 0.5 * square[v]);
    }
  }
}

double responsibilities(ptrdiff_t rows, ptrdiff_t num_components, const double* weights,
                        double* values) {
  constexpr int kLanes = static_cast<int>(kMixtureLanes);
  double total[kLanes] = {};
  for (ptrdiff_t n = 0; n < rows; n += kLanes) {
    double largest[kLanes], sum[kLanes] = {}, scale[kLanes];
    for (int i = 0; i < kLanes; ++i) largest[i] = values[n + i];
    for (ptrdiff_t k = 1; k < num_components; ++k) {
      const double* const column = values + k * rows + n;
      for (int i = 0; i < kLanes; ++i) largest[i] = column[i] > largest[i] ? column[i] : largest[i];
    }
    for (ptrdiff_t k = 0; k < num_components; ++k) {
      double* const column = values + k * rows + n;
      for (int i = 0; i < kLanes; ++i) {
        column[i] = lane_exp(column[i] - largest[i]);
        sum[i] += column[i];
      }
    }
    for (int i = 0; i < kLanes; ++i) {
      total[i] += weights[n + i] * (largest[i] + lane_log(sum[i]));
      scale[i] = weights[n + i] / sum[i];
    }
    for (ptrdiff_t k = 0; k < num_components; ++k) {
      double* const column = values + k * rows + n;
      for (int i = 0; i < kLanes; ++i) column[i] *= scale[i];
    }
  }
  double result = 0;
  for (int i = 0; i < kLanes; ++i) result += total[i];
  return result;
}

/// Adds the products of kTile columns of `left` with kColumns of `right`, over `count` examples.
void add_tile(const double* left, const double* right, ptrdiff_t stride, const double* r,
              ptrdiff_t count, double* products) {
  Vector sums[kTile][kColumns];
#pragma GCC unroll 4
  for (int i = 0; i < kTile; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j)
      sums[i][j] = load(products + (i * kTile + j) * kMixtureLanes);
  }
  for (ptrdiff_t n = 0; n < count; n += kWidth) {
    const Vector weight = load(r + n);
    Vector y[kColumns];
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) y[j] = load(right + j * stride + n);
#pragma GCC unroll 4
    for (int i = 0; i < kTile; ++i) {
      const Vector x = weight * load(left + i * stride + n);
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) sums[i][j] += x * y[j];
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kTile; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j)
      store(products + (i * kTile + j) * kMixtureLanes, sums[i][j]);
  }
}

void moments(const MixtureExamples& examples, const double* r, double* sums, double* products) {
  const ptrdiff_t stride = examples.rows;
  for (ptrdiff_t begin = 0; begin < examples.rows; begin += kBlock) {
    const ptrdiff_t left_over = examples.rows - begin;
    const ptrdiff_t count = left_over < kBlock ? left_over : kBlock;
    const double* const x = examples.points + begin;
    for (ptrdiff_t i = 0; i < examples.dim; ++i) {
      Vector sum = load(sums + i * kMixtureLanes);
      for (ptrdiff_t n = 0; n < count; n += kWidth)
        sum += load(r + begin + n) * load(x + i * stride + n);
      store(sums + i * kMixtureLanes, sum);
    }
    double* tile = products;
    for (ptrdiff_t i = 0; i < examples.dim; i += kTile) {
      for (ptrdiff_t j = 0; j <= i; j += kTile, tile += kTile * kTile * kMixtureLanes) {
        for (int column = 0; column < kTile; column += kColumns) {
          add_tile(x + i * stride, x + (j + column) * stride, stride, r + begin, count,
                   tile + column * kMixtureLanes);
        }
      }
    }
  }
}

}  // namespace

MixtureKernels mixture_kernels() { return {log_densities, responsibilities, moments}; }

}  // namespace epsfree::EPSFREE_ISA
