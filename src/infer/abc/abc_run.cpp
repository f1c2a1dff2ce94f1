#include "infer/abc/abc_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "base/parallel.hpp"
#include "epsfree/effective_size.hpp"
#include "epsfree/error.hpp"
#include "infer/abc/abc_options.hpp"
#include "infer/abc/adjustment.hpp"
#include "infer/coordinates.hpp"

namespace epsfree {
namespace {

// Fewer effective samples than this say little about quantiles.
constexpr double kFewEffective = 100;
// Of a sample that is larger, the first so many say how far a regression would move it.
constexpr Index kEnoughToCompare = 20000;
// A regression on fewer accepted simulations per statistic says little.
constexpr double kFewestPerStatistic = 5;

/// Summary::blur of a sample.
double blur_of(const InferenceRun& run, const AbcSample& sample, double effective_size) {
  const auto num_statistics = static_cast<double>(sample.statistics.rows());
  if (effective_size < kFewestPerStatistic * (num_statistics + 1)) return NAN;
  const Index count = std::min(sample.size(), kEnoughToCompare);
  AbcSample some{.thetas = sample.thetas.leftCols(count),
                 .statistics = sample.statistics.leftCols(count),
                 .distances = sample.distances.head(count),
                 .weights = sample.weights.head(count),
                 .epsilon = sample.epsilon};
  RoundSummary before, after;
  describe_sample(run.prior(), some, 0, before);
  const Adjusted adjusted = adjust_linearly(
      some, {.prior = run.prior(), .observed = run.problem().observed, .seed = run.options().seed});
  if (!adjusted.warnings.empty()) return NAN;
  some.thetas = adjusted.thetas;
  some.weights = adjusted.weights;
  describe_sample(run.prior(), some, 0, after);
  const auto ratio = after.standard_deviation.array() / before.standard_deviation.array();
  const auto moved = (after.mean - before.mean).array() / before.standard_deviation.array();
  return std::max(moved.abs().maxCoeff(), ratio.log().abs().maxCoeff());
}

}  // namespace

Distance make_distance(InferenceRun& run) {
  const AbcOptions& options = *abc_options(run.options().method);
  const Eigen::VectorXd& observed = run.problem().observed;
  if (options.custom_distance) return {options.custom_distance, observed};
  if (options.distance == DistanceKind::euclidean) return {options.distance, observed};
  return {options.distance, observed, run.pilot_statistics(options.pilot_simulations)};
}

std::string distance_warning(const InferenceRun& run, const Eigen::MatrixXd& statistics) {
  const AbcOptions& options = *abc_options(run.options().method);
  if (options.custom_distance || options.distance != DistanceKind::euclidean) return "";
  return unequal_spreads(statistics);
}

void explain_infinite_distances(long num_simulations) {
  throw Error(ErrorKind::stopped,
              "all of " + std::to_string(num_simulations) +
                  " simulations are infinitely far from the observation; look at its scale, or at "
                  "what a distance of your own returns");
}

Eigen::MatrixXd draw_from_prior(const Prior& prior, std::uint64_t seed, std::uint32_t round,
                                Index first, Index count, int num_threads) {
  Eigen::MatrixXd thetas(prior.dim(), count);
  parallel_for(num_threads, static_cast<std::size_t>(count), kDrawnTogether,
               [&](std::size_t begin, std::size_t end) {
                 const auto at = static_cast<Index>(begin);
                 const Index together = static_cast<Index>(end) - at;
                 Stream stream(seed, {.purpose = Purpose::parameters,
                                      .round = round,
                                      .index = static_cast<std::uint64_t>(first + at)});
                 prior.draw_columns(stream, thetas.middleCols(at, together));
               });
  return thetas;
}

void describe_sample(const Prior& prior, const AbcSample& sample, double effective_size,
                     RoundSummary& round) {
  const WeightedSamples z(coordinates_of(prior, sample.thetas), sample.weights.array().log());
  round.mean = z.mean();
  round.standard_deviation = z.covariance().diagonal().cwiseSqrt();
  round.epsilon = sample.epsilon;
  round.effective_size = effective_size;
}

InferResult finish_abc(InferenceRun& run, AbcSample sample, double effective_size,
                       RoundSummary round) {
  const Adjustment adjustment = abc_options(run.options().method)->adjust;
  if (adjustment != Adjustment::none) {
    const double before = epsfree::effective_size(sample.weights);
    AdjustmentRequest request{
        .prior = run.prior(), .observed = run.problem().observed, .seed = run.options().seed};
    request.progress = [&](long step, long num_steps, double loss) {
      return run.report_training("adjustment", round.round, step, num_steps, loss);
    };
    const Adjusted adjusted = adjustment == Adjustment::linear ? adjust_linearly(sample, request)
                                                               : adjust_by_network(sample, request);
    for (const std::string& warning : adjusted.warnings) run.warn(warning);
    round.training = adjusted.training;
    run.summary().training_seconds += adjusted.training.seconds;
    sample.thetas = adjusted.thetas;
    sample.weights = adjusted.weights;
    // The weights of the regression's kernel, and its own error, make the sample smaller still.
    effective_size *= adjusted.effective_size / before;
  } else {
    run.summary().blur = blur_of(run, sample, effective_size);
  }
  describe_sample(run.prior(), sample, effective_size, round);
  Summary& summary = run.summary();
  summary.epsilon = sample.epsilon;
  summary.adjustment = to_string(adjustment);
  summary.effective_sample_size = effective_size;
  if (effective_size < kFewEffective) {
    run.warn("the posterior rests on an effective sample of only " +
             number_text(std::floor(effective_size * 10) / 10) +
             "; raise method.num_simulations, or accept a larger epsilon or more samples");
  }
  run.finish_round(std::move(round));
  const Problem& problem = run.problem();
  InferResult result;
  result.posterior = std::make_shared<SamplesPosterior>(
      problem.prior, problem.names.empty() ? default_names(run.prior().dim()) : problem.names,
      WeightedSamples(std::move(sample.thetas), sample.weights.array().log()));
  return result;
}

}  // namespace epsfree
