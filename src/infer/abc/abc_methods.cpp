#include "infer/abc/abc_methods.hpp"

#include "infer/abc/abc_options.hpp"

namespace epsfree {

MethodEntry rejection_abc_entry() {
  MethodEntry entry = method_entry<RejectionOptions>(
      "rejection-abc",
      "keep parameters from the prior whose simulations come near (Pritchard et al. 1999)",
      rejection_abc);
  entry.check = check_pilot;
  entry.num_rounds = [](const InferOptions&) { return 1; };
  entry.first_round = [](const MethodOptions& options) {
    return std::get<RejectionOptions>(options).streaming ? DrawnFrom::prior_near : DrawnFrom::prior;
  };
  return entry;
}

MethodEntry mcmc_abc_entry() {
  MethodEntry entry = method_entry<McmcOptions>(
      "mcmc-abc", "Markov chains without likelihoods (Marjoram et al. 2003)", mcmc_abc);
  entry.check = check_pilot;
  entry.num_rounds = [](const InferOptions&) { return 2; };
  return entry;
}

MethodEntry smc_abc_entry() {
  MethodEntry entry = method_entry<SmcOptions>(
      "smc-abc", "populations of shrinking epsilon (Beaumont et al. 2009)", smc_abc);
  entry.check = check_pilot;
  return entry;
}

}  // namespace epsfree
