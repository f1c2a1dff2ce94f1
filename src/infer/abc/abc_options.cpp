// Validation of the options of abc.hpp, and the names of its enumerations.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/require.hpp"
#include "epsfree/abc.hpp"

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

void require_distance(const char* field, double value) {
  require(value >= 0 && std::isfinite(value), field, value, "0 or more");
}

void require_share(const char* field, double value) {
  require(value > 0 && value < 1, field, value, "above 0 and below 1");
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

void RejectionOptions::validate() const {
  require_distance("epsilon", epsilon);
  require_between(0, kMostSamples, "num_samples", num_samples);
  require(fraction >= 0 && fraction <= 1, "fraction", fraction, "0 (chosen) to 1");
}

void McmcOptions::validate() const {
  require_distance("epsilon", epsilon);
  require_share("start_fraction", start_fraction);
  require_between(0, kMostSamples, "start_simulations", start_simulations);
  require_between(1, kMostChains, "num_chains", num_chains);
  require(scale >= 0 && std::isfinite(scale), "scale", scale, "0 (tuned) or positive");
  require(burn_in >= 0 && burn_in < 1, "burn_in", burn_in, "at least 0 and below 1");
}

Index SmcOptions::population_of(Index num_simulations) const {
  if (population > 0) return population;
  return std::clamp(num_simulations / 100, std::min(num_simulations / 4, kSmallPopulation),
                    kLargePopulation);
}

void SmcOptions::validate() const {
  require(population == 0 || population >= 10, "population", static_cast<double>(population),
          "0 (chosen) or at least 10");
  require_between(0, kLargestPopulation, "population", population);
  require_distance("epsilon", epsilon);
  require_distance("initial_epsilon", initial_epsilon);
  require_share("decay", decay);
  require_share("quantile", quantile);
  require(resample_below >= 0 && resample_below <= 1, "resample_below", resample_below,
          "from 0 to 1");
  require_between(1, 100000, "max_populations", max_populations);
  require(min_acceptance > 0 && min_acceptance <= 1, "min_acceptance", min_acceptance,
          "above 0 and at most 1");
  require(max_seconds >= 0 && std::isfinite(max_seconds), "max_seconds", max_seconds, "0 or more");
}

}  // namespace epsfree
