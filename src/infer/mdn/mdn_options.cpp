#include "infer/mdn/mdn_options.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/require.hpp"
#include "base/words.hpp"
#include "infer/method_entry.hpp"
#include "nn/network_options.hpp"

namespace epsfree {
namespace {

// With fewer a training has nothing to learn from.
constexpr Index kFewest = 10;
// The final training gets as many simulations as this many rounds, unless the options say more.
constexpr Index kFinalInRounds = 5;

OptionRange simulations_range() { return from_to(kFewest, kMostSimulations); }

template <class Options>
void visit_shared(Options& o, OptionVisitor& visit) {
  visit.group("", "");
  visit("standardise_parameters", o.standardise_parameters,
        "scale parameters by the prior's standard deviation before the network sees them");
  visit("min_weight", o.min_weight, "components below this weight are pruned",
        from_below(0, 1, "in [0, 1)"));
  if constexpr (std::is_same_v<Options, MdnWithProposalOptions>) {
    visit("replica_noise", o.replica_noise, "noise on the replicated components' means",
          within(0, 1, "from 0 to 1"));
  }
  visit.group("network", "the mixture density network");
  visit_fields(o.network, visit);
}

void visit_final(TrainingOptions& o, OptionVisitor& visit) {
  visit.group("training", "the final (or only) training");
  visit_fields(o, visit);
}

template <class Options>
MdnSettings settings_of(const Options& o) {
  MdnSettings settings{.network = o.network,
                       .pilot = o.pilot,
                       .standardise_parameters = o.standardise_parameters,
                       .min_weight = o.min_weight};
  if constexpr (!std::is_same_v<Options, MdnWithPriorOptions>) settings.rounds = &o.rounds;
  if constexpr (!std::is_same_v<Options, ProposalPriorOptions>) settings.training = &o.training;
  return settings;
}

RoundsOptions* rounds_of(MethodOptions& options) {
  if (auto* only = std::get_if<ProposalPriorOptions>(&options)) return &only->rounds;
  if (auto* first = std::get_if<MdnWithProposalOptions>(&options)) return &first->rounds;
  return nullptr;
}

}  // namespace

template <>
const std::vector<Scaling>& enum_values() {
  static const std::vector<Scaling> values = {Scaling::as_is, Scaling::normalise, Scaling::whiten};
  return values;
}

void visit_fields(PilotOptions& o, OptionVisitor& visit) {
  visit.group("pilot", "prior simulations that set the scale of the statistics");
  visit("scaling", o.scaling, "of the statistics: \"as-is\", \"normalise\" or \"whiten\"");
  visit(
      "num_simulations", o.num_simulations,
      "simulations to learn the scale from, part of the budget; not used where no scale is needed",
      o.scaling == Scaling::as_is ? any_value() : simulations_range());
}

void visit_fields(RoundsOptions& o, OptionVisitor& visit) {
  visit.group("rounds", "Algorithm 1: rounds that learn where to simulate");
  visit("max_rounds", o.max_rounds, "the most rounds", from_to(1, 1000));
  visit("num_simulations", o.num_simulations,
        "simulations a round; 0: the budget is shared, a final training gets as many as 5 rounds",
        or_zero(simulations_range(), "0, or from 10 to 1000000000"));
  visit("tolerance", o.tolerance,
        "stop when the proposal moves by less than this KL divergence; 0: always max_rounds",
        {.low = 0, .text = "0 or more"});
  visit("widening", o.widening, "factor on the covariance of each proposal; 1: as in the paper",
        at_least(1, "1 or more"));
  visit("weight_precision", o.weight_precision, "lambda of the rounds' network",
        positive("positive"));
  visit.group("rounds.training", "the training of each round");
  visit_fields(o.training, visit);
}

void visit_fields(MdnWithPriorOptions& o, OptionVisitor& visit) {
  visit_shared(o, visit);
  visit_final(o.training, visit);
  visit_fields(o.pilot, visit);
}

void visit_fields(ProposalPriorOptions& o, OptionVisitor& visit) {
  visit_shared(o, visit);
  visit_fields(o.rounds, visit);
  visit_fields(o.pilot, visit);
}

void visit_fields(MdnWithProposalOptions& o, OptionVisitor& visit) {
  visit_shared(o, visit);
  visit_final(o.training, visit);
  visit_fields(o.rounds, visit);
  visit_fields(o.pilot, visit);
}

std::optional<MdnSettings> mdn_settings(const MethodOptions& options) {
  if (const auto* o = std::get_if<MdnWithPriorOptions>(&options)) return settings_of(*o);
  if (const auto* o = std::get_if<ProposalPriorOptions>(&options)) return settings_of(*o);
  if (const auto* o = std::get_if<MdnWithProposalOptions>(&options)) return settings_of(*o);
  return std::nullopt;
}

void leave_statistics_as_they_are(MethodOptions& options) {
  if (auto* o = std::get_if<MdnWithPriorOptions>(&options)) o->pilot.scaling = Scaling::as_is;
  if (auto* o = std::get_if<ProposalPriorOptions>(&options)) o->pilot.scaling = Scaling::as_is;
  if (auto* o = std::get_if<MdnWithProposalOptions>(&options)) o->pilot.scaling = Scaling::as_is;
}

MdnPlan mdn_plan(const InferOptions& options) {
  const MdnSettings settings = mdn_settings(options.method).value();
  MdnPlan plan;
  plan.pilot = settings.pilot.planned();
  const Index rest = options.num_simulations - plan.pilot;
  if (settings.rounds == nullptr) {
    plan.final = rest;
    return plan;
  }
  const bool has_final = settings.training != nullptr;
  const Index max_rounds = settings.rounds->max_rounds;
  plan.per_round = settings.rounds->num_simulations;
  Index num_rounds = max_rounds;
  if (plan.per_round == 0) {
    const Index parts = max_rounds + (has_final ? kFinalInRounds : 0);
    plan.per_round = std::max(kFewest, rest / parts);
    // Rounds that would be too small become fewer.
    const Index for_rounds = rest * max_rounds / parts;
    num_rounds = std::clamp<Index>(for_rounds / plan.per_round, 1, max_rounds);
  } else if (!has_final) {
    num_rounds = std::min(max_rounds, rest / plan.per_round);
  }
  plan.num_rounds = static_cast<int>(num_rounds);
  if (has_final) plan.final = rest - num_rounds * plan.per_round;
  return plan;
}

void check_mdn_budget(const InferOptions& options) {
  const MdnPlan plan = mdn_plan(options);
  const MdnSettings settings = mdn_settings(options.method).value();
  const bool enough_rounds = settings.rounds == nullptr || plan.num_rounds > 0;
  const bool enough_final = settings.training == nullptr || plan.final >= kFewest;
  if (enough_rounds && enough_final && options.num_simulations > plan.pilot) return;
  std::vector<std::string> parts;
  if (plan.pilot > 0) parts.push_back(std::to_string(plan.pilot) + " for the pilot run");
  if (settings.rounds != nullptr) {
    parts.push_back(std::to_string(std::max(1, plan.num_rounds) * plan.per_round) +
                    " for the rounds");
  }
  if (settings.training != nullptr) {
    parts.push_back("at least " + std::to_string(kFewest) + " for the final training");
  }
  const Index needed = plan.pilot +
                       std::max(settings.rounds ? 1 : 0, plan.num_rounds) * plan.per_round +
                       (settings.training != nullptr ? kFewest : 0);
  require(false, "num_simulations", options.num_simulations,
          "at least " + std::to_string(needed) + ": " + joined_before_last(parts, ", ", " and "));
}

void rescale_mdn_budget(InferOptions& options, Index budget) {
  const MdnSettings settings = mdn_settings(options.method).value();
  const bool has_rounds = settings.rounds != nullptr, has_final = settings.training != nullptr;
  const Index pilot = settings.pilot.planned();
  const Index fewest = pilot + (has_rounds ? kFewest : 0) + (has_final ? kFewest : 0);
  if (budget < fewest) {
    throw Error(ErrorKind::usage, "--budget is " + std::to_string(budget) + "; the method \"" +
                                      method_name(options.method) + "\" needs at least " +
                                      std::to_string(fewest) + " simulations" +
                                      (pilot > 0 ? ", the pilot run's included" : ""));
  }
  RoundsOptions* const rounds = rounds_of(options.method);
  if (rounds == nullptr || rounds->num_simulations == 0) return;
  const Index rest = budget - pilot;
  const MdnPlan plan = mdn_plan(options);
  const double in_rounds = static_cast<double>(plan.num_rounds * plan.per_round);
  const double share = in_rounds / (in_rounds + static_cast<double>(plan.final));
  const Index most = rest - (has_final ? kFewest : 0);
  const Index for_rounds =
      std::clamp(std::lround(share * static_cast<double>(rest)), kFewest, most);
  rounds->max_rounds = static_cast<int>(
      std::min<Index>(rounds->max_rounds, std::max<Index>(1, for_rounds / kFewest)));
  rounds->num_simulations = for_rounds / rounds->max_rounds;
}

}  // namespace epsfree
