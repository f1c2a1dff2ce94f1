// Validation of the options of infer.hpp, and the names of its enumerations.
#include <cmath>
#include <string>

#include "base/require.hpp"
#include "epsfree/error.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {
namespace {

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
    case Method::mdn_with_prior:
      return "mdn-with-prior";
    case Method::proposal_prior:
      return "proposal-prior";
    case Method::mdn_with_proposal:
      break;
  }
  return "mdn-with-proposal";
}

void PilotOptions::validate() const {
  if (scaling == Scaling::as_is) return;
  require(num_simulations >= 10, "num_simulations", static_cast<double>(num_simulations),
          "at least 10 to learn a scale from");
}

void RoundsOptions::validate() const {
  require(max_rounds >= 1, "max_rounds", max_rounds, "at least 1");
  require(num_simulations >= 10, "num_simulations", static_cast<double>(num_simulations),
          "at least 10");
  require(tolerance >= 0, "tolerance", tolerance, "0 or more");
  require(widening >= 1 && std::isfinite(widening), "widening", widening, "1 or more");
  require(weight_precision > 0 && std::isfinite(weight_precision), "weight_precision",
          weight_precision, "positive");
  validate_group("training", training);
}

void InferOptions::validate() const {
  if (method != Method::proposal_prior) {
    require(num_simulations >= 10, "num_simulations", static_cast<double>(num_simulations),
            "at least 10");
    validate_group("training", training);
  }
  validate_group("network", network);
  if (method != Method::mdn_with_prior) validate_group("rounds", rounds);
  validate_group("pilot", pilot);
  require(min_weight >= 0 && min_weight < 1, "min_weight", min_weight, "in [0, 1)");
  require(replica_noise >= 0 && std::isfinite(replica_noise), "replica_noise", replica_noise,
          "0 or more");
}

}  // namespace epsfree
