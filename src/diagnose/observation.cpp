// All checks of one answer.
#include "base/require.hpp"
#include "epsfree/diagnose.hpp"

namespace epsfree {
namespace {

// Valid simulations from the prior that suffice where making more would cost some.
constexpr Index kFewestKnown = 20;

/// Both together, those of `known` last.
PredictiveSimulations joined(const PredictiveSimulations& known, PredictiveSimulations made) {
  made.num_made += known.num_made;
  const Index more = known.statistics.cols(), own = made.statistics.cols();
  if (more == 0) return made;
  made.thetas.conservativeResize(known.thetas.rows(), own + more);
  made.statistics.conservativeResize(known.statistics.rows(), own + more);
  made.thetas.rightCols(more) = known.thetas;
  made.statistics.rightCols(more) = known.statistics;
  return made;
}

/// The checks of one answer, in the order in which they are shown.
class AnswerCheck {
 public:
  AnswerCheck(const Problem& problem, const InferResult& result, const DiagnoseOptions& options)
      : problem_(problem), result_(result), options_(options) {}

  void compare_with_posterior(Runner& runner, Observer* observer) {
    const PredictiveSimulations here = simulate_posterior(
        problem_, *result_.posterior, options_.num_predictive, options_.seed, runner, observer);
    found_.num_posterior = here.num_made;
    add(predictive_check(problem_.observed, here, options_.statistic_names));
    add(predictive_statistics(problem_.observed, here, options_.statistic_names));
    add(misspecification(problem_.observed, here, "posterior"));
  }

  void compare_with_prior(Runner& runner, Observer* observer) {
    PredictiveSimulations before = options_.known_prior;
    if (before.statistics.cols() < kFewestKnown) {
      before = joined(
          before, simulate_prior(problem_, options_.num_prior, options_.seed, runner, observer));
    }
    found_.num_prior = before.num_made;
    auto far = prior_misspecification(problem_.observed, before);
    if (!far) {
      found_.notes.push_back(
          "Only " + std::to_string(before.statistics.cols()) + " of " +
          std::to_string(before.num_made) +
          " simulations from the prior are valid, too few to compare the observation with. Whether "
          "the simulator can produce such data was checked with simulations from the posterior "
          "only.");
    }
    add(std::move(far));
  }

  void look_at_run() {
    for (Diagnosis& each : diagnose(result_.summary, result_.posterior->names())) {
      found_.diagnoses.push_back(std::move(each));
    }
    if (!result_.estimator || options_.num_weight_draws == 0) return;
    const std::vector<PosteriorPtr> members = weight_draws(
        *result_.estimator, problem_.observed, options_.num_weight_draws, options_.seed);
    if (members.size() >= 2) add(network_sensitivity(members, options_.seed));
  }

  void note(const std::string& sentence) { found_.notes.push_back(sentence); }

  AnswerDiagnoses finish() {
    judge_together(found_.diagnoses, options_.levels);
    return std::move(found_);
  }

 private:
  void add(std::optional<Diagnosis> diagnosis) {
    if (diagnosis) found_.diagnoses.push_back(*std::move(diagnosis));
  }

  const Problem& problem_;
  const InferResult& result_;
  const DiagnoseOptions& options_;
  AnswerDiagnoses found_;
};

}  // namespace

void DiagnoseOptions::validate() const {
  constexpr Index kMost = 10'000'000;
  const auto is_count = [](Index count) { return count == 0 || (count >= 20 && count <= kMost); };
  require(is_count(num_predictive), "diagnose.num_predictive", num_predictive,
          "0, or from 20 to 10000000");
  require(is_count(num_prior), "diagnose.num_prior", num_prior, "0, or from 20 to 10000000");
  require(num_weight_draws == 0 || num_weight_draws >= 2, "diagnose.num_weight_draws",
          num_weight_draws, "0 or at least 2");
  levels.validate();
}

AnswerDiagnoses diagnose(const Problem& problem, const InferResult& result, Runner& runner,
                         const DiagnoseOptions& options, Observer* observer) {
  options.validate();
  problem.validate();
  if (!result.posterior) throw Error(ErrorKind::usage, "diagnose: the result has no posterior");
  AnswerCheck check(problem, result, options);
  if (options.num_predictive > 0) {
    check.compare_with_posterior(runner, observer);
  } else {
    check.note("No simulations were made to check the posterior with.");
  }
  if (options.num_prior > 0) check.compare_with_prior(runner, observer);
  check.look_at_run();
  return check.finish();
}

}  // namespace epsfree
