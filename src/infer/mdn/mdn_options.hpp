// The options of the paper's strategies, listed once (base/option_visitor.hpp), and how they share
// the budget.
#pragma once

#include <optional>

#include "base/option_visitor.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {

template <>
const std::vector<Scaling>& enum_values();

void visit_fields(PilotOptions& options, OptionVisitor& visit);
void visit_fields(RoundsOptions& options, OptionVisitor& visit);
void visit_fields(MdnWithPriorOptions& options, OptionVisitor& visit);
void visit_fields(ProposalPriorOptions& options, OptionVisitor& visit);
void visit_fields(MdnWithProposalOptions& options, OptionVisitor& visit);

/// What the three strategies have in common, and what only some of them have.
struct MdnSettings {
  const NetworkOptions& network;
  const PilotOptions& pilot;
  bool standardise_parameters;
  double min_weight;
  const RoundsOptions* rounds = nullptr;      ///< Algorithm 1; none: no rounds
  const TrainingOptions* training = nullptr;  ///< the final training; none: the rounds are all
};
/// None for a method that is not one of the three. Points into the options.
std::optional<MdnSettings> mdn_settings(const MethodOptions& options);

/// Statistics that have a published scale need no pilot run. Nothing for other methods.
void leave_statistics_as_they_are(MethodOptions& options);

/// How many simulations each part may make.
struct MdnPlan {
  Index pilot = 0;
  int num_rounds = 0;
  Index per_round = 0;
  Index final = 0;
};
MdnPlan mdn_plan(const InferOptions& options);

/// Throws ErrorKind::input if the budget is too small for the pilot run, the rounds and the final
/// training.
void check_mdn_budget(const InferOptions& options);

/// Where the options fix the size of a round: rounds and final training share the budget in the
/// proportion that they have now. Throws ErrorKind::usage if it is too small.
void rescale_mdn_budget(InferOptions& options, Index budget);

}  // namespace epsfree
