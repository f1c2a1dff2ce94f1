#include "nn/network_layout.hpp"

#include <cmath>

#include "base/require.hpp"

namespace epsfree {

std::string to_string(Activation activation) {
  return activation == Activation::tanh ? "tanh" : "relu";
}

void NetworkOptions::validate() const {
  // The largest are far beyond any use, and small enough that no size overflows.
  require(hidden_units.size() <= 20, "hidden_units.size()", hidden_units.size(), "at most 20");
  for (std::size_t i = 0; i < hidden_units.size(); ++i) {
    require_between(1, 10000, "hidden_units[" + std::to_string(i) + "]", hidden_units[i]);
  }
  require_between(1, 1000, "num_components", num_components);
  require(weight_precision > 0 && std::isfinite(weight_precision), "weight_precision",
          weight_precision, "positive and finite");
  require(std::abs(initial_log_std) <= 20, "initial_log_std", initial_log_std,
          "between -20 and 20");
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
