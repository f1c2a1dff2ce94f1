// The hot loops of fitting Gaussian mixtures, compiled once per instruction set and chosen at run
// time. Included by kernel files, so nothing but plain declarations.
#pragma once

#include <stddef.h>

namespace epsfree {

/// Examples come in multiples of this, and dimensions of that; what is added is zero.
inline constexpr ptrdiff_t kMixtureLanes = 16;
inline constexpr ptrdiff_t kMixtureTile = 4;

/// A row per example and a column per dimension, so that a dimension is contiguous over examples.
struct MixtureExamples {
  const double* points;
  ptrdiff_t rows;  ///< a multiple of kMixtureLanes; also from column to column
  ptrdiff_t dim;   ///< a multiple of kMixtureTile
};

/// A Gaussian by a lower triangular A and c: log density = constant - |A x - c|^2 / 2.
struct MixtureFactor {
  /// Of each kMixtureTile rows in turn, the columns up to the diagonal tile's last, one after the
  /// other.
  const double* tiles;
  const double* centre;
  double constant;
};

struct MixtureKernels {
  void (*log_densities)(const MixtureExamples& examples, const MixtureFactor& factor,
                        double* values);
  /// From log densities, a column per component, to weight times probability; the weighted sum of
  /// the log densities of the mixture.
  double (*responsibilities)(ptrdiff_t rows, ptrdiff_t num_components, const double* weights,
                             double* values);
  /// Sums of r x and of r x x^T, its tiles on and below the diagonal row by row, each kMixtureLanes
  /// parts wide, of which the first few are used; both must be zero before.
  void (*moments)(const MixtureExamples& examples, const double* responsibilities, double* sums,
                  double* products);
};

#define EPSFREE_DECLARE_MIXTURE_KERNELS(isa) \
  namespace isa {                            \
  MixtureKernels mixture_kernels();          \
  }
EPSFREE_DECLARE_MIXTURE_KERNELS(baseline)
EPSFREE_DECLARE_MIXTURE_KERNELS(avx2)
EPSFREE_DECLARE_MIXTURE_KERNELS(avx512)
#undef EPSFREE_DECLARE_MIXTURE_KERNELS

}  // namespace epsfree
