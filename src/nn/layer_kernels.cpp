// Elementwise passes over the activations of a layer. Compiled once per instruction set: see
// cmake/kernels.cmake for what may be included here.
#include "base/vector_math.hpp"
#include "nn/inverse_root.hpp"
#include "nn/kernels.hpp"

namespace epsfree::EPSFREE_ISA {
namespace {

struct Tanh {
  template <class T>
  static T value(T x) {
    return lane_tanh(x);
  }
  template <class T>
  static T slope(T value) {
    return T(1) - value * value;
  }
};

struct Relu {
  template <class T>
  static T value(T x) {
    return x < T(0) ? T(0) : x;  // NaN stays NaN, so that divergence is seen
  }
  template <class T>
  static T slope(T value) {
    return value > T(0) ? T(1) : T(0);
  }
};

template <class T>
void variances(const T* __restrict means, const T* __restrict log_variances,
               T* __restrict variances, ptrdiff_t n, double* sums) {
  for (ptrdiff_t i = 0; i < n; ++i) variances[i] = lane_exp(log_variances[i]);
  // Sixteen partial sums a quantity: a fixed order that vectorises, and precise enough in float.
  constexpr ptrdiff_t kLanes = 16;
  typedef T Vector __attribute__((vector_size(kLanes * sizeof(T)), aligned(alignof(T)), may_alias));
  Vector squares = {}, exps = {}, logs = {};
  const ptrdiff_t whole = n / kLanes * kLanes;
  for (ptrdiff_t i = 0; i < whole; i += kLanes) {
    const Vector m = *reinterpret_cast<const Vector*>(means + i);
    squares += m * m;
    exps += *reinterpret_cast<const Vector*>(variances + i);
    logs += *reinterpret_cast<const Vector*>(log_variances + i);
  }
  for (ptrdiff_t l = 0; l < kLanes; ++l) {
    sums[0] += static_cast<double>(squares[l]);
    sums[1] += static_cast<double>(exps[l]);
    sums[2] += static_cast<double>(logs[l]);
  }
  for (ptrdiff_t i = whole; i < n; ++i) {
    sums[0] += static_cast<double>(means[i] * means[i]);
    sums[1] += static_cast<double>(variances[i]);
    sums[2] += static_cast<double>(log_variances[i]);
  }
}

template <class T>
void add_kl_gradient(const T* __restrict means, const T* __restrict variances, T scale, T precision,
                     T* __restrict d_means, T* __restrict d_variances, ptrdiff_t n) {
  const T weight = scale * precision;
  const T half_weight = T(0.5) * weight;
  const T half_scale = T(0.5) * scale;
  for (ptrdiff_t i = 0; i < n; ++i) {
    d_means[i] += weight * means[i];
    d_variances[i] = (d_variances[i] + half_weight) * variances[i] - half_scale;
  }
}

// Added to a variance, so that one that has underflowed to zero gives no 0/0.
constexpr double kTiny = 1e-30;
// Inverse roots are taken so many at a time.
constexpr ptrdiff_t kBlock = 512;

template <class T>
void perturb(T* __restrict values, const T* __restrict variances, T* __restrict noise,
             ptrdiff_t n) {
  T inverse[kBlock];
  for (ptrdiff_t first = 0; first < n; first += kBlock) {
    const ptrdiff_t count = n - first < kBlock ? n - first : kBlock;
    inverse_roots(variances + first, static_cast<T>(kTiny), inverse, count);
    for (ptrdiff_t i = 0; i < count; ++i) {
      const ptrdiff_t at = first + i;
      values[at] += variances[at] * inverse[i] * noise[at];
      noise[at] *= T(0.5) * inverse[i];
    }
  }
}

template <class Function, class T>
void perturb_activate(const T* __restrict means, const T* __restrict variances, T* __restrict noise,
                      T* __restrict values, T* __restrict squares, ptrdiff_t n) {
  T inverse[kBlock];
  for (ptrdiff_t first = 0; first < n; first += kBlock) {
    const ptrdiff_t count = n - first < kBlock ? n - first : kBlock;
    inverse_roots(variances + first, static_cast<T>(kTiny), inverse, count);
    for (ptrdiff_t i = 0; i < count; ++i) {
      const ptrdiff_t at = first + i;
      const T h = Function::value(means[at] + variances[at] * inverse[i] * noise[at]);
      noise[at] *= T(0.5) * inverse[i];
      values[at] = h;
      squares[at] = h * h;
    }
  }
}

template <class Function, class T>
void activate(const T* __restrict inputs, T* __restrict values, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) values[i] = Function::value(inputs[i]);
}

template <class Function, class T>
void backward(const T* __restrict values, T* __restrict gradient, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) gradient[i] *= Function::slope(values[i]);
}

template <class Function, class T>
void perturbed_backward(const T* __restrict values, const T* __restrict ratios,
                        T* __restrict gradient, T* __restrict d_squares, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) {
    const T d_value = gradient[i] + T(2) * values[i] * d_squares[i];
    const T d_input = d_value * Function::slope(values[i]);
    gradient[i] = d_input;
    d_squares[i] = d_input * ratios[i];
  }
}

template <class T>
void square(const T* __restrict x, T* __restrict y, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) y[i] = x[i] * x[i];
}

template <class T>
void multiply(const T* __restrict x, const T* __restrict y, T* __restrict product, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) product[i] = x[i] * y[i];
}

template <class T>
void add(Kernels<T>& kernels) {
  kernels.variances = variances<T>;
  kernels.add_kl_gradient = add_kl_gradient<T>;
  kernels.perturb = perturb<T>;
  kernels.perturb_tanh = perturb_activate<Tanh, T>;
  kernels.perturb_relu = perturb_activate<Relu, T>;
  kernels.tanh = activate<Tanh, T>;
  kernels.relu = activate<Relu, T>;
  kernels.tanh_backward = backward<Tanh, T>;
  kernels.relu_backward = backward<Relu, T>;
  kernels.perturbed_tanh_backward = perturbed_backward<Tanh, T>;
  kernels.perturbed_relu_backward = perturbed_backward<Relu, T>;
  kernels.square = square<T>;
  kernels.multiply = multiply<T>;
}

}  // namespace

void add_layer_kernels(Kernels<float>& kernels) { add(kernels); }
void add_layer_kernels(Kernels<double>& kernels) { add(kernels); }

}  // namespace epsfree::EPSFREE_ISA
