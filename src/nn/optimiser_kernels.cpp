// Compiled once per instruction set: see cmake/kernels.cmake for what may be included here.
#include "base/vector_math.hpp"
#include "nn/kernels.hpp"

namespace epsfree::EPSFREE_ISA {
namespace {

constexpr ptrdiff_t kLanes = 16;

template <class T>
T finite_check(const T* __restrict x, ptrdiff_t n) {
  // Zero times anything finite is zero, times anything else is NaN, which every sum keeps. Squared,
  // because Adam squares it: one infinite average would stop that parameter for ever.
  T partial[kLanes] = {};
  const ptrdiff_t whole = n / kLanes * kLanes;
  for (ptrdiff_t i = 0; i < whole; i += kLanes) {
    for (ptrdiff_t l = 0; l < kLanes; ++l) partial[l] += x[i + l] * x[i + l] * T(0);
  }
  for (ptrdiff_t i = whole; i < n; ++i) partial[0] += x[i] * x[i] * T(0);
  T sum = 0;
  for (ptrdiff_t l = 0; l < kLanes; ++l) sum += partial[l];
  return sum;
}

template <class T>
double squared_norm(const T* __restrict x, ptrdiff_t n) {
  double partial[kLanes] = {};
  const ptrdiff_t whole = n / kLanes * kLanes;
  for (ptrdiff_t i = 0; i < whole; i += kLanes) {
    for (ptrdiff_t l = 0; l < kLanes; ++l) {
      const double v = static_cast<double>(x[i + l]);
      partial[l] += v * v;
    }
  }
  for (ptrdiff_t i = whole; i < n; ++i) {
    const double v = static_cast<double>(x[i]);
    partial[0] += v * v;
  }
  double sum = 0;
  for (ptrdiff_t l = 0; l < kLanes; ++l) sum += partial[l];
  return sum;
}

template <class T>
void adam(const AdamStep& step, T* __restrict parameters, const T* __restrict gradient,
          T* __restrict mean, T* __restrict square, ptrdiff_t n) {
  const T mean_decay = static_cast<T>(step.mean_decay);
  const T mean_gain = static_cast<T>(1.0 - step.mean_decay);
  const T square_decay = static_cast<T>(step.square_decay);
  const T square_gain = static_cast<T>(1.0 - step.square_decay);
  const T rate = static_cast<T>(step.rate * step.mean_correction);
  const T correction = static_cast<T>(step.square_correction);
  const T epsilon = static_cast<T>(step.epsilon);
  const T scale = static_cast<T>(step.gradient_scale);
  for (ptrdiff_t i = 0; i < n; ++i) {
    const T g = gradient[i] * scale;
    const T m = mean_decay * mean[i] + mean_gain * g;
    const T v = square_decay * square[i] + square_gain * (g * g);
    mean[i] = m;
    square[i] = v;
    parameters[i] -= rate * m / lane_sqrt(v * correction + epsilon);
  }
}

template <class T>
void add(Kernels<T>& kernels) {
  kernels.finite_check = finite_check<T>;
  kernels.squared_norm = squared_norm<T>;
  kernels.adam = adam<T>;
}

}  // namespace

void add_optimiser_kernels(Kernels<float>& kernels) { add(kernels); }
void add_optimiser_kernels(Kernels<double>& kernels) { add(kernels); }

}  // namespace epsfree::EPSFREE_ISA
