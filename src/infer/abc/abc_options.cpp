// Validation of the options of abc.hpp, and the names of its enumerations.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/require.hpp"
#include "infer/abc/abc_options.hpp"

namespace epsfree {
namespace {

constexpr std::int64_t kMostSamples = 100000000;
// Weights of a population take the square of its size.
constexpr std::int64_t kLargestPopulation = 1000000;
constexpr std::int64_t kMostChains = 100000;
// Where nothing is said: enough for quantiles, of few simulations as of many.
constexpr Index kEnough = 100;
// Weights make a population worth less than its size.
constexpr Index kSmallPopulation = 150, kLargePopulation = 1000;

OptionRange distance_range() { return at_least(0, "0 or more"); }
OptionRange share_range() { return between(0, 1, "above 0 and below 1"); }

/// What the three methods share.
void visit_shared(AbcOptions& o, OptionVisitor& visit) {
  visit.group("abc", "what rejection-abc, mcmc-abc and smc-abc share");
  visit("distance", o.distance,
        "\"euclidean\"; \"std\" or \"mad\" (scaled by a pilot run's standard or median absolute "
        "deviations); \"mahalanobis\"");
  visit("adjust", o.adjust,
        "regression adjustment of what is accepted: \"none\", \"linear\" or "
        "\"neural\"");
  visit.group("pilot", "prior simulations that set the scale of the statistics");
  visit(
      "num_simulations", o.pilot_simulations,
      "simulations to learn the scale from, part of the budget; not used where no scale is needed",
      o.needs_pilot() ? from_to(10, kMostSamples) : any_value());
}

}  // namespace

std::string to_string(Adjustment adjustment) {
  switch (adjustment) {
    case Adjustment::none:
      return "none";
    case Adjustment::linear:
      return "linear";
    case Adjustment::neural:
      break;
  }
  return "neural";
}

std::string to_string(StepShape shape) { return shape == StepShape::full ? "full" : "spherical"; }

std::string to_string(EpsilonSchedule schedule) {
  return schedule == EpsilonSchedule::decay ? "decay" : "quantile";
}

Index RejectionOptions::most_of(Index num_simulations) const {
  if (num_samples > 0 || epsilon > 0) return num_samples;
  if (fraction > 0) {
    return std::max<Index>(1, static_cast<Index>(fraction * static_cast<double>(num_simulations)));
  }
  return std::max(num_simulations / 100, std::clamp<Index>(num_simulations / 10, 1, kEnough));
}

bool AbcOptions::needs_pilot() const {
  return distance != DistanceKind::euclidean && !custom_distance;
}

Index SmcOptions::population_of(Index num_simulations) const {
  if (population > 0) return population;
  return std::clamp(num_simulations / 100, std::min(num_simulations / 4, kSmallPopulation),
                    kLargePopulation);
}

template <>
const std::vector<DistanceKind>& enum_values() {
  static const std::vector<DistanceKind> values = {
      DistanceKind::euclidean, DistanceKind::standard_deviation,
      DistanceKind::median_absolute_deviation, DistanceKind::mahalanobis};
  return values;
}

template <>
const std::vector<Adjustment>& enum_values() {
  static const std::vector<Adjustment> values = {Adjustment::none, Adjustment::linear,
                                                 Adjustment::neural};
  return values;
}

template <>
const std::vector<StepShape>& enum_values() {
  static const std::vector<StepShape> values = {StepShape::spherical, StepShape::full};
  return values;
}

template <>
const std::vector<EpsilonSchedule>& enum_values() {
  static const std::vector<EpsilonSchedule> values = {EpsilonSchedule::decay,
                                                      EpsilonSchedule::quantile};
  return values;
}

void visit_fields(RejectionOptions& o, OptionVisitor& visit) {
  visit.group("rejection", "rejection-abc");
  visit("epsilon", o.epsilon, "accept what is no farther away; 0: the nearest, however far",
        distance_range());
  visit("num_samples", o.num_samples,
        "how many of the nearest; 0: as fraction says, or with an epsilon all within it",
        from_to(0, kMostSamples));
  visit("fraction", o.fraction,
        "the nearest of all simulations, without the two above; 0: a hundredth, or 100 of them if "
        "that is more, but at most a tenth",
        within(0, 1, "0 (chosen) to 1"));
  visit("streaming", o.streaming,
        "choose while simulating: any number in little memory, only what is kept is recorded");
  visit_shared(o.abc, visit);
}

void visit_fields(McmcOptions& o, OptionVisitor& visit) {
  visit.group("mcmc", "mcmc-abc");
  visit("epsilon", o.epsilon, "accept what is no farther away; 0: what start_fraction reaches",
        distance_range());
  visit("start_fraction", o.start_fraction,
        "share of the first simulations that sets the starting epsilon", share_range());
  visit("start_simulations", o.start_simulations,
        "from the prior, to find starts; 0: a fifth of the budget", from_to(0, kMostSamples));
  visit("num_chains", o.num_chains, "chains side by side; a step of all is one batch",
        from_to(1, kMostChains));
  visit("shape", o.shape, "of the steps: \"full\" (the chains' covariance) or \"spherical\"");
  visit("scale", o.scale, "of the steps; 0: tuned in the burn-in",
        at_least(0, "0 (tuned) or positive"));
  visit("burn_in", o.burn_in, "share of the steps that the budget is sure to pay for, thrown away",
        from_below(0, 1, "at least 0 and below 1"));
  visit_shared(o.abc, visit);
}

void visit_fields(SmcOptions& o, OptionVisitor& visit) {
  visit.group("smc", "smc-abc");
  visit("population", o.population,
        "accepted parameters of each; 0: a hundredth of the budget, 150 (or a quarter of it) to "
        "1000",
        or_zero(from_to(10, kLargestPopulation),
                o.population < 10 ? "0 (chosen) or at least 10"
                                  : "from 0 to " + std::to_string(kLargestPopulation)));
  visit("epsilon", o.epsilon, "stop when it is reached; 0: when another rule says so",
        distance_range());
  visit("initial_epsilon", o.initial_epsilon, "of the first population; 0: chosen",
        distance_range());
  visit("schedule", o.schedule,
        "of epsilon: \"quantile\" (of the accepted distances) or \"decay\"");
  visit("decay", o.decay, "factor on epsilon with \"decay\"", share_range());
  visit("quantile", o.quantile, "with \"quantile\"", share_range());
  visit("adaptive_weights", o.adaptive_weights,
        "perturb ancestors near the observation more often (Bonassi & West 2015)");
  visit("resample_below", o.resample_below,
        "resample when the effective size is below this share of the population",
        within(0, 1, "from 0 to 1"));
  visit("max_populations", o.max_populations, "the most populations", from_to(1, 100000));
  visit("min_acceptance", o.min_acceptance, "stop when a smaller share of proposals is accepted",
        {.low = 0, .high = 1, .includes_low = false, .text = "above 0 and at most 1"});
  visit("max_seconds", o.max_seconds, "begin no population after these; 0: no limit",
        distance_range());
  visit_shared(o.abc, visit);
}

const AbcOptions* abc_options(const MethodOptions& options) {
  if (const auto* rejection = std::get_if<RejectionOptions>(&options)) return &rejection->abc;
  if (const auto* mcmc = std::get_if<McmcOptions>(&options)) return &mcmc->abc;
  if (const auto* smc = std::get_if<SmcOptions>(&options)) return &smc->abc;
  return nullptr;
}

AbcOptions* abc_options(MethodOptions& options) {
  return const_cast<AbcOptions*>(abc_options(std::as_const(options)));
}

void check_pilot(const InferOptions& options) {
  const AbcOptions& abc = *abc_options(options.method);
  if (!abc.needs_pilot()) return;
  require_between(10, options.num_simulations - 10, "pilot.num_simulations", abc.pilot_simulations);
}

}  // namespace epsfree
