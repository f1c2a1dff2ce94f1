#include "problem/budget.hpp"

#include <algorithm>
#include <cmath>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

// See InferOptions::validate: simulations of a round or a training, and of methods with one budget.
constexpr Index kFewest = 10;
constexpr Index kFewestOfOne = 40;

bool is_abc(const InferOptions& options) {
  return options.method == Method::rejection_abc || options.method == Method::mcmc_abc ||
         options.method == Method::smc_abc;
}
/// num_simulations is all of it.
bool has_one_budget(const InferOptions& options) {
  return options.method == Method::automatic || options.method == Method::synthetic_likelihood ||
         is_abc(options);
}
bool has_rounds(const InferOptions& options) { return options.method != Method::mdn_with_prior; }
bool has_final(const InferOptions& options) { return options.method != Method::proposal_prior; }

Index pilot_simulations(const InferOptions& options) {
  return options.pilot.scaling == Scaling::as_is ? 0 : options.pilot.num_simulations;
}

Index round_simulations(const InferOptions& options) {
  return has_rounds(options) ? options.rounds.max_rounds * options.rounds.num_simulations : 0;
}

void require_budget(Index budget, Index fewest, const InferOptions& options) {
  if (budget >= fewest) return;
  const bool pilot = !has_one_budget(options) && pilot_simulations(options) > 0;
  throw Error(ErrorKind::usage, "--budget is " + std::to_string(budget) + "; the method \"" +
                                    to_string(options.method) + "\" needs at least " +
                                    std::to_string(fewest) + " simulations" +
                                    (pilot ? ", the pilot run's included" : ""));
}

}  // namespace

Index planned_simulations(const InferOptions& options) {
  if (has_one_budget(options)) return options.num_simulations;
  return pilot_simulations(options) + round_simulations(options) +
         (has_final(options) ? options.num_simulations : 0);
}

InferOptions with_budget(InferOptions options, Index budget) {
  if (has_one_budget(options)) {
    require_budget(budget, kFewestOfOne, options);
    options.num_simulations = budget;
    return options;
  }
  const Index pilot = pilot_simulations(options);
  const Index fewest =
      pilot + (has_rounds(options) ? kFewest : 0) + (has_final(options) ? kFewest : 0);
  require_budget(budget, fewest, options);
  const Index rest = budget - pilot;
  if (!has_rounds(options)) {
    options.num_simulations = rest;
    return options;
  }
  RoundsOptions& rounds = options.rounds;
  const double share = static_cast<double>(round_simulations(options)) /
                       static_cast<double>(planned_simulations(options) - pilot);
  const Index most = rest - (has_final(options) ? kFewest : 0);
  const Index for_rounds =
      std::clamp(std::lround(share * static_cast<double>(rest)), kFewest, most);
  rounds.max_rounds = static_cast<int>(
      std::min<Index>(rounds.max_rounds, std::max<Index>(1, for_rounds / kFewest)));
  rounds.num_simulations = for_rounds / rounds.max_rounds;
  if (has_final(options)) {
    options.num_simulations = rest - rounds.max_rounds * rounds.num_simulations;
  }
  return options;
}

Index paper_budget(const std::string& model_name) {
  if (model_name == "mixture") return 1800;            // 4 x 200 + 1000
  if (model_name == "linear-regression") return 2800;  // 4 x 200 + 2000
  if (model_name == "lotka-volterra") return 4000;     // 4 x 500 + 2000
  if (model_name == "mg1-queue") return 7400;          // 6 x 400 + 5000
  throw Error(ErrorKind::internal, "no budget of the paper is known for '" + model_name + "'");
}

}  // namespace epsfree
