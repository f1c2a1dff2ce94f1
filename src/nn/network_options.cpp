#include "nn/network_options.hpp"

namespace epsfree {

// The largest values are far beyond any use, and small enough that no size overflows.

template <>
const std::vector<Schedule>& enum_values() {
  static const std::vector<Schedule> values = {Schedule::constant, Schedule::cosine};
  return values;
}

template <>
const std::vector<Activation>& enum_values() {
  static const std::vector<Activation> values = {Activation::tanh, Activation::relu};
  return values;
}

void visit_fields(TrainingOptions& o, OptionVisitor& visit) {
  visit("num_steps", o.num_steps, "the most minibatch steps", from_to(1, 1000000000));
  visit("batch_size", o.batch_size, "examples a step", from_to(1, 1000000));
  visit("learning_rate", o.learning_rate, "of Adam, at the start",
        {.low = 0, .high = 1, .includes_low = false, .text = "positive and at most 1"});
  visit("schedule", o.schedule, "of the learning rate: \"constant\" or \"cosine\" (down to zero)");
  visit("gradient_clip", o.gradient_clip, "largest norm of a gradient; 0: no clipping",
        at_least(0, "finite and not negative"));
  visit("validation_fraction", o.validation_fraction, "share held out to stop early; 0: none",
        from_below(0, 1, "at least 0 and below 1"));
  visit("patience", o.patience, "validation checks without gain before stopping",
        from_to(1, 1000000000));
  visit("convergence_tolerance", o.convergence_tolerance,
        "stop when the loss gains less than this over a tenth of the steps; 0: never",
        at_least(0, "finite and not negative"));
}

void visit_fields(NetworkOptions& o, OptionVisitor& visit) {
  OptionRange units = from_to(1, 10000);
  units.most_entries = 20;
  visit("hidden_units", o.hidden_units, "units of each hidden layer", units);
  visit("activation", o.activation, "\"tanh\" or \"relu\"");
  visit("num_components", o.num_components, "K, Gaussian components of the final network",
        from_to(1, 1000));
  visit("variational", o.variational, "true: the Bayesian MDN-SVI; false: a plain MDN");
  visit("weight_precision", o.weight_precision, "lambda, precision of the weights' prior",
        positive("positive and finite"));
  visit("initial_log_std", o.initial_log_std, "start of the weights' log standard deviations",
        within(-20, 20, "between -20 and 20"));
}

void TrainingOptions::validate() const { validate_fields(*this); }

void NetworkOptions::validate() const { validate_fields(*this); }

}  // namespace epsfree
