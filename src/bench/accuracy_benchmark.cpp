#include "bench/accuracy_benchmark.hpp"

#include <algorithm>
#include <ctime>
#include <limits>
#include <mutex>
#include <new>

#include "base/numerics.hpp"
#include "base/parallel.hpp"
#include "base/words.hpp"
#include "bench/shortest_turns.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "epsfree/models.hpp"
#include "infer/methods.hpp"
#include "infer/stop_observer.hpp"
#include "io/reference_file.hpp"
#include "problem/paper_budget.hpp"

namespace epsfree {
namespace {

constexpr Index kDivergenceSamples = 50000;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What an unusable posterior scores: the limits of the published comparison.
std::optional<double> failed_above(const std::string& model_name, Score score) {
  if (score == Score::kl_divergence) return 2.0;
  if (score == Score::cross_entropy && model_name == "lotka-volterra") return -4.5;
  if (score == Score::cross_entropy && model_name == "mg1-queue") return -0.9;
  return std::nullopt;
}

void check_assignments(const AccuracySettings& settings) {
  for (const std::string& assignment : settings.assignments) {
    if (assignment.rfind("method.", 0) == 0) continue;
    throw Error(ErrorKind::usage, "--set " + assignment +
                                      ": expected a key of [method], such as "
                                      "method.training.num_steps=500; the rest of the problem is "
                                      "the model's");
  }
}

Stream divergence_stream() { return Stream(1, {.purpose = Purpose::divergence}); }

void plan_score(const AccuracySettings& settings, AccuracyPlan& plan) {
  const std::shared_ptr<const Model> chosen = model(settings.model);
  const PosteriorPtr exact = chosen->exact_posterior(plan.spec.problem.observed);
  if (plan.mode == AccuracyMode::observations) {
    if (!settings.reference.empty()) {
      throw Error(ErrorKind::usage,
                  "--reference holds for one observation: it does not go with --observations");
    }
    if (exact) plan.score = Score::kl_divergence;
    return;
  }
  if (!settings.reference.empty())
    plan.reference = reference_file(settings.reference, settings.model);
  if (!plan.reference.empty()) {
    plan.samples = read_reference(plan.reference, plan.spec.problem.names, settings.model);
    plan.score = Score::cross_entropy;
  } else if (exact) {
    Stream stream = divergence_stream();
    plan.samples = exact->sample(kDivergenceSamples, stream);
    plan.log_densities = exact->log_probs(plan.samples);
    plan.score = Score::kl_divergence;
  } else {
    throw Error(ErrorKind::usage,
                "the exact posterior of " + settings.model +
                    " is not known: give samples of it with --reference FILE.csv, one a line below "
                    "the header " +
                    joined(chosen->parameter_names(), ","));
  }
}

double thread_seconds() {
  timespec time = {};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A density for what has none: a Gaussian fitted in the prior's coordinates, as in the
/// paper.
PosteriorPtr with_density(const PosteriorPtr& learnt) {
  if (learnt->has_log_prob()) return learnt;
  Stream stream(1, {.purpose = Purpose::expectation_maximisation});
  return fit_density(*learnt, {.num_components = 1}, stream);
}

void score(const AccuracyPlan& plan, const Problem& problem, const PosteriorPtr& answer,
           SeedRecord& record) {
  const PosteriorPtr fitted = with_density(answer);
  const Posterior& learnt = *fitted;
  if (plan.mode == AccuracyMode::observations) {
    Stream stream(record.seed, {.purpose = Purpose::posterior_sample});
    record.ranks = ranks_of(problem.truth.value(), answer->sample(kRankSamples, stream));
  }
  if (plan.score == Score::none) return;
  Estimate estimate;
  if (plan.log_densities) {
    estimate = kl_divergence(plan.samples, *plan.log_densities, learnt);
  } else if (plan.score == Score::cross_entropy) {
    estimate = cross_entropy(plan.samples, learnt);
  } else {
    Stream stream = divergence_stream();
    const PosteriorPtr exact = model(plan.spec.model)->exact_posterior(problem.observed);
    estimate = kl_divergence(*exact, learnt, kDivergenceSamples, stream);
  }
  record.score = estimate.value;
  record.score_error = estimate.standard_error;
  // A comparison that NaN fails.
  record.failed = plan.failed_above && !(estimate.value <= *plan.failed_above);
}

SeedRecord run_seed(const AccuracyPlan& plan, std::uint64_t seed, AccuracyListener& listener) {
  SeedRecord record;
  record.seed = seed;
  record.score = record.score_error = kNaN;
  try {
    Problem problem = plan.spec.problem;
    if (plan.mode == AccuracyMode::observations) problem = model(plan.spec.model)->problem(seed);
    InferOptions options = plan.spec.options;
    options.seed = seed;
    ThreadRunner runner(1);  // the seeds already run side by side
    StopObserver observer([&] { return listener.stop(); });
    const Stopwatch stopwatch;
    const double cpu_start = thread_seconds();
    const InferResult result = infer(problem, options, runner, &observer);
    record.cpu_seconds = thread_seconds() - cpu_start;
    record.seconds = stopwatch.seconds();
    record.num_simulations = result.summary.simulations.total();
    record.correction = result.summary.correction;
    record.warnings = result.summary.warnings;
    score(plan, problem, result.posterior, record);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    record.error = error.what();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    record.error = error.what();
  }
  if (!record.error.empty()) record.failed = true;
  return record;
}

}  // namespace

std::string to_string(Score score) {
  switch (score) {
    case Score::none:
      return "none";
    case Score::kl_divergence:
      return "kl";
    case Score::cross_entropy:
      break;
  }
  return "cross-entropy";
}

AccuracyPlan plan_accuracy(const AccuracySettings& settings) {
  const std::string name = model(settings.model)->name();
  check_assignments(settings);
  ProblemOverrides overrides;
  const std::string method = settings.method.value_or("auto");
  for (const std::string& each : settings.assignments) overrides.assignments.push_back(each);
  AccuracyPlan plan;
  plan.spec = parse_problem(starter_toml(name, method), name + ".toml", overrides);
  plan.mode = settings.mode;
  plan.seeds = settings.seeds;
  plan.budget = settings.budget.value_or(paper_budget(name));
  plan.spec.options = with_budget(plan.spec.options, plan.budget);
  plan.spec.options.validate();
  pin_numerics();
  plan_score(settings, plan);
  plan.failed_above = failed_above(name, plan.score);
  return plan;
}

AccuracyReport run_accuracy(const AccuracyPlan& plan, int num_threads, AccuracyListener* listener) {
  AccuracyListener silent;
  AccuracyListener& told = listener != nullptr ? *listener : silent;
  AccuracyReport report{plan, std::vector<SeedRecord>(plan.seeds.size()), {}};
  std::mutex mutex;
  parallel_for(num_threads, report.records.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (told.stop()) throw Error(ErrorKind::interrupted, "interrupted");
      report.records[i] = run_seed(plan, plan.seeds.first + i, told);
      const std::lock_guard lock(mutex);
      told.on_seed(i, report.records[i]);
    }
  });
  report.summary = summarise(plan, report.records);
  return report;
}

}  // namespace epsfree
