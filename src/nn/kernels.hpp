// The hot loops of training, compiled once per instruction set and chosen at run time. Included by
// kernel files, so nothing but plain declarations.
#pragma once

#include <stddef.h>

namespace epsfree {

/// Examples that the density kernel treats side by side.
inline constexpr ptrdiff_t kDensityLanes = 16;

/// Beyond it the exponential of a log-diagonal entry of U is held constant, with zero gradient:
/// variational training drives the spread of unused components up until exp() overflows in float.
inline constexpr double kLogDiagonalLimit = 15.0;

/// One call of the density kernel. Matrices have a row per example and `stride` rows in storage, so
/// that each output of the network is contiguous over the batch. `rows` is at least kDensityLanes.
template <class T>
struct DensityBatch {
  ptrdiff_t rows;
  ptrdiff_t stride;
  int target_dim;
  int num_components;
  const T* outputs;       ///< columns in the order of HeadLayout (network_layout.hpp)
  const T* targets;       ///< one column per dimension
  const T* coefficients;  ///< per example; the gradients are those of sum coefficient * log q
  T* scratch;             ///< kDensityLanes * num_components * (2 * target_dim + 1) values
  T* log_probs;
  T* d_outputs;  ///< like outputs; may be null: no gradients at all
  T* d_targets;  ///< like targets; may be null
};

/// C = A B, all in column-major storage with a stride from column to column; `depth` is the number
/// of A's columns and B's rows.
template <class T>
struct ProductOf {
  const T* a;
  ptrdiff_t a_stride;
  const T* b;
  ptrdiff_t b_stride;
  ptrdiff_t depth;
  T* c;
  ptrdiff_t c_stride;
};

template <class T>
struct TransposeOf {
  const T* from;
  ptrdiff_t from_stride;
  T* to;
  T* squares;  ///< those of `to`; may be null
  ptrdiff_t to_stride;
};

/// Adam (Kingma & Ba 2014) with its bias corrections at this step.
struct AdamStep {
  double rate, mean_decay, square_decay, mean_correction, square_correction, epsilon;
  double gradient_scale;
};

template <class T>
struct Kernels {
  /// variances = exp(log_variances). Adds sum means^2, sum variances and sum log_variances.
  void (*variances)(const T* means, const T* log_variances, T* variances, ptrdiff_t n,
                    double sums[3]);
  /// Gradients of the KL divided by the number of examples (appendix D), added to `d_means`; the
  /// gradient of the log variances from that of the variances, in place.
  void (*add_kl_gradient)(const T* means, const T* variances, T scale, T precision, T* d_means,
                          T* d_variances, ptrdiff_t n);

  /// Local reparameterisation: values = means + sqrt(variances) noise, and in place of the noise
  /// ratio = d value / d variance = noise / (2 sqrt(variance)).
  void (*perturb)(T* values, const T* variances, T* noise, ptrdiff_t n);
  /// The same, then the activation, and its square for the next layer's variance.
  void (*perturb_tanh)(const T* means, const T* variances, T* noise, T* values, T* squares,
                       ptrdiff_t n);
  void (*perturb_relu)(const T* means, const T* variances, T* noise, T* values, T* squares,
                       ptrdiff_t n);
  void (*tanh)(const T* inputs, T* values, ptrdiff_t n);
  void (*relu)(const T* inputs, T* values, ptrdiff_t n);

  /// From the gradient of the activations to that of their inputs, in place.
  void (*tanh_backward)(const T* values, T* gradient, ptrdiff_t n);
  void (*relu_backward)(const T* values, T* gradient, ptrdiff_t n);
  /// The same where the activations and their squares (d_squares) both have gradients; d_squares is
  /// overwritten by the gradient of the variance.
  void (*perturbed_tanh_backward)(const T* values, const T* ratios, T* gradient, T* d_squares,
                                  ptrdiff_t n);
  void (*perturbed_relu_backward)(const T* values, const T* ratios, T* gradient, T* d_squares,
                                  ptrdiff_t n);
  void (*square)(const T* x, T* y, ptrdiff_t n);
  void (*multiply)(const T* x, const T* y, T* product, ptrdiff_t n);

  /// Both null where there is nothing faster than the products of gemm.hpp. `rows` and `columns`
  /// are those of C, or of the matrix to transpose.
  void (*product)(ptrdiff_t rows, ptrdiff_t columns, ProductOf<T> of);
  void (*transpose)(ptrdiff_t rows, ptrdiff_t columns, const TransposeOf<T>& of);

  void (*density)(const DensityBatch<T>& batch);

  /// Zero if every value and its square are finite, NaN otherwise.
  T (*finite_check)(const T* x, ptrdiff_t n);
  double (*squared_norm)(const T* x, ptrdiff_t n);
  void (*adam)(const AdamStep& step, T* parameters, const T* gradient, T* mean, T* square,
               ptrdiff_t n);
};

#define EPSFREE_DECLARE_KERNELS(isa)                    \
  namespace isa {                                       \
  void add_layer_kernels(Kernels<float>& kernels);      \
  void add_layer_kernels(Kernels<double>& kernels);     \
  void add_density_kernels(Kernels<float>& kernels);    \
  void add_density_kernels(Kernels<double>& kernels);   \
  void add_optimiser_kernels(Kernels<float>& kernels);  \
  void add_optimiser_kernels(Kernels<double>& kernels); \
  void add_product_kernels(Kernels<float>& kernels);    \
  void add_product_kernels(Kernels<double>& kernels);   \
  }
EPSFREE_DECLARE_KERNELS(baseline)
EPSFREE_DECLARE_KERNELS(avx2)
EPSFREE_DECLARE_KERNELS(avx512)
#undef EPSFREE_DECLARE_KERNELS

}  // namespace epsfree
