#include "nn/network_layout.hpp"

#include <cmath>

#include "base/number_text.hpp"
#include "epsfree/error.hpp"

namespace epsfree {

std::string to_string(Activation activation) {
  return activation == Activation::tanh ? "tanh" : "relu";
}

void NetworkOptions::validate() const {
  const auto refuse = [](const std::string& field, double value, const std::string& constraint) {
    throw Error(ErrorKind::input,
                field + " is " + number_text(value) + ", but must be " + constraint);
  };
  const auto require_between = [](int low, int high, const std::string& field, long value) {
    if (value >= low && value <= high) return;
    throw Error(ErrorKind::input, field + " is " + std::to_string(value) + ", but must be from " +
                                      std::to_string(low) + " to " + std::to_string(high));
  };
  // The largest are far beyond any use, and small enough that no size overflows.
  if (hidden_units.size() > 20) {
    throw Error(ErrorKind::input, "hidden_units has " + std::to_string(hidden_units.size()) +
                                      " layers, but must have at most 20");
  }
  for (std::size_t i = 0; i < hidden_units.size(); ++i) {
    require_between(1, 10000, "hidden_units[" + std::to_string(i) + "]", hidden_units[i]);
  }
  require_between(1, 1000, "num_components", num_components);
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
