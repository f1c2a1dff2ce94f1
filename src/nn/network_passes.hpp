// Forward and backward through a network, over one batch in a workspace.
#pragma once

#include "nn/network_layout.hpp"
#include "nn/network_workspace.hpp"

namespace epsfree {

/// The weights of a network, in the order of its layout. `variances` is null for a pass through the
/// means alone.
template <class T>
struct NetworkWeights {
  const T* means;
  const T* variances;
};

/// From space.layers.front().inputs (and .squares) to the outputs of the last layer. With variances
/// the noise in the workspace is used up.
template <class T>
void forward(const NetworkLayout& layout, Activation activation, const NetworkWeights<T>& weights,
             Workspace<T>& space);

/// From d_outputs of the last layer to the gradients of the weights and, where given, of the
/// weights' variances; to space.d_contexts if asked. Either gradient may be null.
template <class T>
void backward(const NetworkLayout& layout, Activation activation, const NetworkWeights<T>& weights,
              Workspace<T>& space, T* d_means, T* d_variances, bool want_contexts);

/// log q of every row into space.log_probs and, if asked, the gradients of
/// sum coefficient * log q.
template <class T>
void evaluate_density(const NetworkLayout& layout, Workspace<T>& space, bool want_outputs,
                      bool want_targets);

}  // namespace epsfree
