#include "nn/network_layout.hpp"

#include <cmath>

#include "epsfree/error.hpp"

namespace epsfree {

std::string to_string(Activation activation) {
  return activation == Activation::tanh ? "tanh" : "relu";
}

void NetworkOptions::validate() const {
  const auto refuse = [](const std::string& field, const auto& value, const char* constraint) {
    throw Error(ErrorKind::input,
                field + " is " + std::to_string(value) + ", but must be " + constraint);
  };
  for (std::size_t i = 0; i < hidden_units.size(); ++i) {
    if (hidden_units[i] < 1) {
      refuse("hidden_units[" + std::to_string(i) + "]", hidden_units[i], "at least 1");
    }
  }
  if (num_components < 1) refuse("num_components", num_components, "at least 1");
  if (!(weight_precision > 0) || !std::isfinite(weight_precision)) {
    refuse("weight_precision", weight_precision, "positive and finite");
  }
  if (!(std::abs(initial_log_std) <= 20)) {
    refuse("initial_log_std", initial_log_std, "between -20 and 20");
  }
}

NetworkLayout::NetworkLayout(Index context_dim, Index target_dim, const NetworkOptions& options)
    : head{target_dim, options.num_components} {
  if (context_dim < 1) {
    throw Error(ErrorKind::input,
                "context_dim is " + std::to_string(context_dim) + ", but must be at least 1");
  }
  if (target_dim < 1) {
    throw Error(ErrorKind::input,
                "target_dim is " + std::to_string(target_dim) + ", but must be at least 1");
  }
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
