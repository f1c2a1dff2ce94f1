// Memory for one pass through a network: allocated once, laid out anew when the batch changes size.
#pragma once

#include <memory>
#include <vector>

#include "nn/kernel_choice.hpp"
#include "nn/network_layout.hpp"

namespace epsfree {

/// Matrices have a row per example (`rows` of them used, `stride` stored), a column per unit.
template <class T>
struct LayerSpace {
  T* inputs;       ///< layer.rows() columns; the last is always one
  T* squares;      ///< of the inputs; variational only
  T* outputs;      ///< before the activation
  T* variances;    ///< of the outputs; variational only
  T* noise;        ///< variational only; becomes d output / d variance
  T* d_outputs;    ///< gradient of the loss
  T* d_variances;  ///< variational only
  /// The inputs and their squares with a column per example, for weight gradients by
  /// Kernels::product; null where those are left to gemm.
  T* transposed_inputs;
  T* transposed_squares;
  Index transposed_stride;
};

/// Whether the weight gradients of a layer are faster by Kernels::product than by gemm. With few
/// inputs its vectors would be half empty, with few outputs transposing would not pay, and large
/// matrices do not fit into the nearest cache.
template <class T>
bool suits_product(const LayerLayout& layer, Index rows) {
  return kernels<T>().product != nullptr && layer.rows() >= 16 && layer.rows() <= 256 &&
         layer.outputs >= 24 && layer.outputs <= 512 && rows <= 256;
}

template <class T>
class Workspace {
 public:
  void resize(const NetworkLayout& layout, bool variational, Index new_rows);

  Index rows = 0;
  Index stride = 0;  ///< rows, but at least kDensityLanes
  std::vector<LayerSpace<T>> layers;
  T* all_noise = nullptr;  ///< of all layers, one behind the other
  Index noise_size = 0;
  T* d_contexts = nullptr;
  T* targets = nullptr;
  T* d_targets = nullptr;
  T* coefficients = nullptr;
  T* log_probs = nullptr;
  T* scratch = nullptr;

 private:
  void place(const NetworkLayout& layout, bool variational, T* base, Index& size);
  std::vector<T> memory_;
};

template <class T>
void Workspace<T>::resize(const NetworkLayout& layout, bool variational, Index new_rows) {
  if (rows == new_rows) return;
  rows = new_rows;
  stride = rows < kDensityLanes ? kDensityLanes : rows;
  layers.resize(layout.layers.size());
  Index size = 0;
  place(layout, variational, nullptr, size);
  constexpr std::size_t kAlignment = 64;
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
  std::size_t room = bytes + kAlignment;
  // Ones, not zeros: rows beyond the batch are computed with but never used, and should be finite.
  memory_.assign(room / sizeof(T), T(1));
  void* base = memory_.data();
  room = memory_.size() * sizeof(T);
  place(layout, variational, static_cast<T*>(std::align(kAlignment, bytes, base, room)), size);
}

template <class T>
void Workspace<T>::place(const NetworkLayout& layout, bool variational, T* base, Index& size) {
  size = 0;
  const auto take = [&](Index count) {
    T* const first = base == nullptr ? nullptr : base + size;
    size += (count + 15) / 16 * 16;
    return first;
  };
  noise_size = 0;
  for (const LayerLayout& layer : layout.layers) noise_size += layer.outputs * stride;
  all_noise = take(variational ? noise_size : 0);
  T* noise = all_noise;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerLayout& layer = layout.layers[l];
    const Index wide = layer.rows() * stride;
    const Index narrow = layer.outputs * stride;
    LayerSpace<T>& space = layers[l];
    space.inputs = take(wide);
    space.squares = take(variational ? wide : 0);
    space.outputs = take(narrow);
    space.variances = take(variational ? narrow : 0);
    space.d_outputs = take(narrow);
    space.d_variances = take(variational ? narrow : 0);
    space.transposed_stride = (layer.rows() + 15) / 16 * 16;
    const bool transposed = suits_product<T>(layer, rows);
    const Index turned = transposed ? space.transposed_stride * rows : 0;
    space.transposed_inputs = transposed ? take(turned) : nullptr;
    space.transposed_squares = transposed && variational ? take(turned) : nullptr;
    space.noise = noise;
    if (base != nullptr && variational) noise += narrow;
  }
  const Index dim = layout.head.target_dim;
  d_contexts = take(layout.layers.front().inputs * stride);
  targets = take(dim * stride);
  d_targets = take(dim * stride);
  coefficients = take(stride);
  log_probs = take(stride);
  scratch = take(kDensityLanes * layout.head.num_components * (2 * dim + 1));
}

}  // namespace epsfree
