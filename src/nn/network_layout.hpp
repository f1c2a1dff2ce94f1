// Where the weights and outputs of a mixture density network stand.
#pragma once

#include <vector>

#include "epsfree/mixture_density_network.hpp"

namespace epsfree {

/// The weights of a layer: an (inputs + 1) x outputs matrix in column-major order, whose last row
/// is the bias, as if each layer had one more input that is always one.
struct LayerLayout {
  Index inputs;
  Index outputs;
  Index offset;  ///< of the first weight among all

  Index rows() const { return inputs + 1; }
  Index size() const { return rows() * outputs; }
};

/// The outputs of the last layer, all heads in one matrix: K logits of the mixing weights (none if
/// K = 1), then for each component D means, D logarithms of diag(U) and the D (D - 1) / 2 entries
/// of U above the diagonal, by rows.
struct HeadLayout {
  Index target_dim;
  int num_components;

  Index num_logits() const { return num_components > 1 ? num_components : 0; }
  Index component_size() const { return 2 * target_dim + target_dim * (target_dim - 1) / 2; }
  Index component(int k) const { return num_logits() + k * component_size(); }
  Index num_outputs() const { return num_logits() + num_components * component_size(); }
};

struct NetworkLayout {
  NetworkLayout(Index context_dim, Index target_dim, const NetworkOptions& options);

  HeadLayout head;
  std::vector<LayerLayout> layers;  ///< the hidden ones, then the heads
  Index num_weights = 0;            ///< weights and biases; twice as many parameters if variational
};

}  // namespace epsfree
