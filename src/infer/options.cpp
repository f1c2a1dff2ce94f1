// Validation of the options of infer.hpp, and the names of its enumerations.
#include <cmath>
#include <cstdint>
#include <string>

#include "base/require.hpp"
#include "epsfree/error.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {
namespace {

// Far beyond any use, and small enough that sizes and budgets never overflow.
constexpr std::int64_t kMostSimulations = 1000000000;
// With fewer there is nothing to learn in rounds.
constexpr std::int64_t kFewestSimulations = 40;
constexpr int kMostRounds = 1000;
constexpr int kMostComponents = 256;

/// Puts the group's name before a nested struct's message, so that it names the whole key.
template <class Options>
void validate_group(const std::string& group, const Options& options) {
  try {
    options.validate();
  } catch (const Error& error) {
    throw Error(error.kind(), group + "." + error.what());
  }
}

}  // namespace

std::string to_string(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::mdn_with_prior:
      return "mdn-with-prior";
    case Method::proposal_prior:
      return "proposal-prior";
    case Method::rejection_abc:
      return "rejection-abc";
    case Method::mcmc_abc:
      return "mcmc-abc";
    case Method::smc_abc:
      return "smc-abc";
    case Method::synthetic_likelihood:
      return "synthetic-likelihood";
    case Method::mdn_with_proposal:
      break;
  }
  return "mdn-with-proposal";
}

void PilotOptions::validate() const {
  if (scaling == Scaling::as_is) return;
  require_between(10, kMostSimulations, "num_simulations", num_simulations);
}

void AutoOptions::validate() const {
  require_between(1, kMostComponents, "max_components", max_components);
  require(widening == 0 || (widening >= 1 && std::isfinite(widening)), "widening", widening,
          "0, or 1 or more");
  require(tolerance >= 0, "tolerance", tolerance, "0 or more");
}

void RoundsOptions::validate() const {
  require_between(1, kMostRounds, "max_rounds", max_rounds);
  require_between(10, kMostSimulations, "num_simulations", num_simulations);
  require(tolerance >= 0, "tolerance", tolerance, "0 or more");
  require(widening >= 1 && std::isfinite(widening), "widening", widening, "1 or more");
  require(weight_precision > 0 && std::isfinite(weight_precision), "weight_precision",
          weight_precision, "positive");
  validate_group("training", training);
}

void InferOptions::validate() const {
  if (method == Method::automatic) {
    require_between(kFewestSimulations, kMostSimulations, "num_simulations", num_simulations);
    validate_group("auto", automatic);
    long before = kFewestSimulations - 1;
    for (const long budget : automatic.earlier_budgets) {
      require(budget > before && budget < num_simulations, "auto.earlier_budgets", budget,
              "at least 40, above the one before and below num_simulations");
      before = budget;
    }
    return;
  }
  if (method == Method::rejection_abc || method == Method::mcmc_abc || method == Method::smc_abc) {
    require_between(kFewestSimulations, kMostSimulations, "num_simulations", num_simulations);
    if (abc.distance != DistanceKind::euclidean && !abc.custom_distance) {
      require_between(10, num_simulations - 10, "pilot.num_simulations", pilot.num_simulations);
    }
    if (method == Method::rejection_abc) validate_group("rejection", rejection);
    if (method == Method::mcmc_abc) validate_group("mcmc", mcmc);
    if (method == Method::smc_abc) validate_group("smc", smc);
    return;
  }
  if (method == Method::synthetic_likelihood) {
    require_between(kFewestSimulations, kMostSimulations, "num_simulations", num_simulations);
    validate_group("synthetic", synthetic);
    return;
  }
  if (method != Method::proposal_prior) {
    require_between(10, kMostSimulations, "num_simulations", num_simulations);
    validate_group("training", training);
  }
  validate_group("network", network);
  if (method != Method::mdn_with_prior) validate_group("rounds", rounds);
  validate_group("pilot", pilot);
  require(min_weight >= 0 && min_weight < 1, "min_weight", min_weight, "in [0, 1)");
  require(replica_noise >= 0 && replica_noise <= 1, "replica_noise", replica_noise, "from 0 to 1");
}

}  // namespace epsfree
