// All checks of one answer.
#include "base/require.hpp"
#include "epsfree/diagnose.hpp"

namespace epsfree {

void DiagnoseOptions::validate() const {
  require_between(20, 10'000'000, "diagnose.num_predictive", num_predictive);
  require(num_prior == 0 || num_prior >= 20, "diagnose.num_prior", num_prior, "0 or at least 20");
  require(num_weight_draws == 0 || num_weight_draws >= 2, "diagnose.num_weight_draws",
          num_weight_draws, "0 or at least 2");
  levels.validate();
}

std::vector<Diagnosis> diagnose(const Problem& problem, const InferResult& result, Runner& runner,
                                const DiagnoseOptions& options, Observer* observer) {
  options.validate();
  problem.validate();
  if (!result.posterior) throw Error(ErrorKind::usage, "diagnose: the result has no posterior");
  std::vector<Diagnosis> all;
  const auto add = [&all](std::optional<Diagnosis> diagnosis) {
    if (diagnosis) all.push_back(*std::move(diagnosis));
  };
  const PredictiveSimulations here = simulate_posterior(
      problem, *result.posterior, options.num_predictive, options.seed, runner, observer);
  add(predictive_check(problem.observed, here));
  add(predictive_statistics(problem.observed, here));
  add(misspecification(problem.observed, here, "posterior"));
  if (options.num_prior > 0) {
    add(prior_misspecification(problem.observed, simulate_prior(problem, options.num_prior,
                                                                options.seed, runner, observer)));
  }
  for (Diagnosis& each : diagnose(result.summary, result.posterior->names()))
    all.push_back(std::move(each));
  if (result.estimator && options.num_weight_draws > 0) {
    const std::vector<PosteriorPtr> members =
        weight_draws(*result.estimator, problem.observed, options.num_weight_draws, options.seed);
    if (members.size() >= 2) add(network_sensitivity(members, options.seed));
  }
  judge_together(all, options.levels);
  return all;
}

}  // namespace epsfree
