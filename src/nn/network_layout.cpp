#include "nn/network_layout.hpp"

#include <cmath>

#include "base/require.hpp"

namespace epsfree {

std::string to_string(Activation activation) {
  return activation == Activation::tanh ? "tanh" : "relu";
}

NetworkLayout::NetworkLayout(Index context_dim, Index target_dim, const NetworkOptions& options)
    : head{target_dim, options.num_components} {
  require(context_dim >= 1, "context_dim", context_dim, "at least 1");
  require(target_dim >= 1, "target_dim", target_dim, "at least 1");
  options.validate();
  Index inputs = context_dim;
  const auto add_layer = [&](Index outputs) {
    layers.push_back({inputs, outputs, num_weights});
    num_weights += layers.back().size();
    inputs = outputs;
  };
  for (const int units : options.hidden_units) add_layer(units);
  add_layer(head.num_outputs());
}

}  // namespace epsfree
