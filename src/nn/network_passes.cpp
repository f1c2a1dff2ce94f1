#include "nn/network_passes.hpp"

#include "base/gemm.hpp"
#include "nn/kernel_choice.hpp"

namespace epsfree {

namespace {

// d_means = inputs^T d_outputs, d_variances = squares^T d_output_variances; either may be null.
template <class T>
void weight_gradients(const LayerLayout& layer, const LayerSpace<T>& at, Index rows, Index stride,
                      T* d_means, T* d_variances) {
  const Kernels<T>& kernel = kernels<T>();
  if (at.transposed_inputs == nullptr) {
    const auto by_gemm = [&](const T* inputs, const T* d_outputs, T* gradient) {
      if (gradient == nullptr) return;
      gemm(layer.rows(), layer.outputs, rows, MatrixView<T>{inputs, stride}.transpose(),
           MatrixView<T>{d_outputs, stride}, T(0), gradient + layer.offset, layer.rows());
    };
    by_gemm(at.inputs, at.d_outputs, d_means);
    by_gemm(at.squares, at.d_variances, d_variances);
    return;
  }
  if (d_means == nullptr) return;
  T* const squares = d_variances == nullptr ? nullptr : at.transposed_squares;
  kernel.transpose(rows, layer.rows(),
                   {at.inputs, stride, at.transposed_inputs, squares, at.transposed_stride});
  const auto by_product = [&](const T* inputs, const T* d_outputs, T* gradient) {
    if (gradient == nullptr) return;
    kernel.product(layer.rows(), layer.outputs,
                   {inputs, at.transposed_stride, d_outputs, stride, rows, gradient + layer.offset,
                    layer.rows()});
  };
  by_product(at.transposed_inputs, at.d_outputs, d_means);
  by_product(squares, at.d_variances, d_variances);
}

}  // namespace

template <class T>
void forward(const NetworkLayout& layout, Activation activation, const NetworkWeights<T>& weights,
             Workspace<T>& space) {
  const Kernels<T>& kernel = kernels<T>();
  const bool noisy = weights.variances != nullptr;
  const Index stride = space.stride;
  for (std::size_t l = 0; l < layout.layers.size(); ++l) {
    const LayerLayout& layer = layout.layers[l];
    const LayerSpace<T>& at = space.layers[l];
    const Index size = stride * layer.outputs;
    gemm(space.rows, layer.outputs, layer.rows(), {at.inputs, stride},
         {weights.means + layer.offset, layer.rows()}, T(0), at.outputs, stride);
    if (noisy) {
      gemm(space.rows, layer.outputs, layer.rows(), {at.squares, stride},
           {weights.variances + layer.offset, layer.rows()}, T(0), at.variances, stride);
    }
    if (l + 1 == layout.layers.size()) {
      if (noisy) kernel.perturb(at.outputs, at.variances, at.noise, size);
    } else {
      const LayerSpace<T>& next = space.layers[l + 1];
      if (noisy) {
        (activation == Activation::tanh ? kernel.perturb_tanh : kernel.perturb_relu)(
            at.outputs, at.variances, at.noise, next.inputs, next.squares, size);
      } else {
        (activation == Activation::tanh ? kernel.tanh : kernel.relu)(at.outputs, next.inputs, size);
      }
    }
  }
}

template <class T>
void backward(const NetworkLayout& layout, Activation activation, const NetworkWeights<T>& weights,
              Workspace<T>& space, T* d_means, T* d_variances, bool want_contexts) {
  const Kernels<T>& kernel = kernels<T>();
  const bool noisy = weights.variances != nullptr;
  const bool is_tanh = activation == Activation::tanh;
  const Index stride = space.stride;
  const Index rows = space.rows;
  for (std::size_t l = layout.layers.size(); l-- > 0;) {
    const LayerLayout& layer = layout.layers[l];
    const LayerSpace<T>& at = space.layers[l];
    const MatrixView<T> d_outputs{at.d_outputs, stride};
    const MatrixView<T> d_output_variances{at.d_variances, stride};
    if (noisy && l + 1 == layout.layers.size()) {
      kernel.multiply(at.d_outputs, at.noise, at.d_variances, stride * layer.outputs);
    }
    weight_gradients(layer, at, rows, stride, d_means, d_variances);
    if (l == 0 && !want_contexts) break;
    T* const d_inputs = l == 0 ? space.d_contexts : space.layers[l - 1].d_outputs;
    const MatrixView<T> matrix{weights.means + layer.offset, layer.rows()};
    gemm(rows, layer.inputs, layer.outputs, d_outputs, matrix.transpose(), T(0), d_inputs, stride);
    if (l == 0) break;
    const LayerSpace<T>& below = space.layers[l - 1];
    const Index size = stride * layer.inputs;
    if (noisy) {
      const MatrixView<T> variances{weights.variances + layer.offset, layer.rows()};
      gemm(rows, layer.inputs, layer.outputs, d_output_variances, variances.transpose(), T(0),
           below.d_variances, stride);
      (is_tanh ? kernel.perturbed_tanh_backward : kernel.perturbed_relu_backward)(
          at.inputs, below.noise, d_inputs, below.d_variances, size);
    } else {
      (is_tanh ? kernel.tanh_backward : kernel.relu_backward)(at.inputs, d_inputs, size);
    }
  }
}

template <class T>
void evaluate_density(const NetworkLayout& layout, Workspace<T>& space, bool want_outputs,
                      bool want_targets) {
  const LayerSpace<T>& last = space.layers.back();
  DensityBatch<T> batch{};
  batch.rows = space.stride == space.rows ? space.rows : kDensityLanes;
  batch.stride = space.stride;
  batch.target_dim = static_cast<int>(layout.head.target_dim);
  batch.num_components = layout.head.num_components;
  batch.outputs = last.outputs;
  batch.targets = space.targets;
  batch.coefficients = space.coefficients;
  batch.scratch = space.scratch;
  batch.log_probs = space.log_probs;
  batch.d_outputs = want_outputs || want_targets ? last.d_outputs : nullptr;
  batch.d_targets = want_targets ? space.d_targets : nullptr;
  kernels<T>().density(batch);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type in parentheses is another
#define EPSFREE_INSTANTIATE(T)                                                       \
  template void forward(const NetworkLayout&, Activation, const NetworkWeights<T>&,  \
                        Workspace<T>&);                                              \
  template void backward(const NetworkLayout&, Activation, const NetworkWeights<T>&, \
                         Workspace<T>&, T*, T*, bool);                               \
  template void evaluate_density(const NetworkLayout&, Workspace<T>&, bool, bool);
EPSFREE_INSTANTIATE(float)
EPSFREE_INSTANTIATE(double)
#undef EPSFREE_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace epsfree
