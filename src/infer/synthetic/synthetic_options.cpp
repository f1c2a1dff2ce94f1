#include "infer/synthetic/synthetic_options.hpp"

namespace epsfree {

std::string to_string(SyntheticLikelihood likelihood) {
  switch (likelihood) {
    case SyntheticLikelihood::gaussian:
      return "gaussian";
    case SyntheticLikelihood::mixture:
      return "mixture";
    case SyntheticLikelihood::gaussian_process:
      break;
  }
  return "gaussian-process";
}

Index SyntheticOptions::replicates() const {
  if (likelihood == SyntheticLikelihood::mixture) return 1;
  if (num_replicates > 0) return num_replicates;
  return likelihood == SyntheticLikelihood::gaussian ? 40 : 10;
}

template <>
const std::vector<SyntheticLikelihood>& enum_values() {
  static const std::vector<SyntheticLikelihood> values = {SyntheticLikelihood::gaussian,
                                                          SyntheticLikelihood::mixture,
                                                          SyntheticLikelihood::gaussian_process};
  return values;
}

void visit_fields(SyntheticOptions& o, OptionVisitor& visit) {
  visit.group("synthetic", "the synthetic likelihood");
  visit("likelihood", o.likelihood, "\"gaussian\", \"mixture\" or \"gaussian-process\"");
  visit("num_chains", o.num_chains, "Markov chains side by side", from_to(1, 10000));
  visit("num_samples", o.num_samples, "the most that are kept, of all chains together",
        from_to(1, 1000000000));
  visit("burn_in", o.burn_in, "share of each chain that is thrown away",
        between(0, 1, "above 0 and below 1"));
  visit("num_pilot", o.num_pilot,
        "simulations of each of the first rounds, which look for the posterior; mixture: of the "
        "first",
        from_to(20, 1000000000));
  // What a likelihood does not use may have any value.
  const bool replicates = o.likelihood != SyntheticLikelihood::mixture;
  visit("num_replicates", o.num_replicates,
        "simulations at each parameter; 0: 40 (gaussian) or 10 (gaussian-process)",
        replicates ? or_zero(from_to(3, 1000000), "0, or from 3 to 1000000") : any_value());
  visit("unbiased", o.unbiased,
        "gaussian: the unbiased estimate of the density; false: estimated mean and covariance");
  const bool steps = o.likelihood != SyntheticLikelihood::gaussian;
  visit("num_steps", o.num_steps, "mixture, gaussian-process: steps of each chain",
        steps ? from_to(100, 1000000000) : any_value());
  visit("max_components", o.max_components, "mixture: of the largest mixture tried",
        from_to(1, 256));
  visit("max_error", o.max_error,
        "gaussian-process: simulate more where a decision is wrong with more than this probability",
        between(0, 0.5, "above 0 and below 0.5"));
}

}  // namespace epsfree
