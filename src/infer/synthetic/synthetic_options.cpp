#include "epsfree/synthetic_options.hpp"

#include "base/require.hpp"

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

void SyntheticOptions::validate() const {
  require_between(1, 10000, "num_chains", num_chains);
  require_between(1, 1000000000, "num_samples", num_samples);
  require(burn_in > 0 && burn_in < 1, "burn_in", burn_in, "above 0 and below 1");
  require_between(20, 1000000000, "num_pilot", num_pilot);
  if (likelihood != SyntheticLikelihood::mixture) {
    require(num_replicates == 0 || (num_replicates >= 3 && num_replicates <= 1000000),
            "num_replicates", num_replicates, "0, or from 3 to 1000000");
  }
  if (likelihood != SyntheticLikelihood::gaussian) {
    require_between(100, 1000000000, "num_steps", num_steps);
  }
  require_between(1, 256, "max_components", max_components);
  require(max_error > 0 && max_error < 0.5, "max_error", max_error, "above 0 and below 0.5");
}

}  // namespace epsfree
