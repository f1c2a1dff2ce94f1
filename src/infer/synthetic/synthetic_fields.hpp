// The options of the synthetic likelihood, as option_fields.hpp lists those of the others.
#pragma once

#include "epsfree/synthetic_options.hpp"

namespace epsfree {

template <class Options, class Visitor>
void visit_synthetic_fields(Options& o, Visitor& visit) {
  visit("likelihood", o.likelihood, "\"gaussian\", \"mixture\" or \"gaussian-process\"");
  visit("num_chains", o.num_chains, "Markov chains side by side");
  visit("num_samples", o.num_samples, "the most that are kept, of all chains together");
  visit("burn_in", o.burn_in, "share of each chain that is thrown away");
  visit("num_pilot", o.num_pilot,
        "simulations of each of the first rounds, which look for the posterior; mixture: of the "
        "first");
  visit("num_replicates", o.num_replicates,
        "simulations at each parameter; 0: 40 (gaussian) or 10 (gaussian-process)");
  visit("unbiased", o.unbiased,
        "gaussian: the unbiased estimate of the density; false: estimated mean and covariance");
  visit("num_steps", o.num_steps, "mixture, gaussian-process: steps of each chain");
  visit("max_components", o.max_components, "mixture: of the largest mixture tried");
  visit(
      "max_error", o.max_error,
      "gaussian-process: simulate more where a decision is wrong with more than this probability");
}

}  // namespace epsfree
