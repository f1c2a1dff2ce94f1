// The options of the ABC methods, listed once (base/option_visitor.hpp).
#pragma once

#include "base/option_visitor.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {

template <>
const std::vector<DistanceKind>& enum_values();
template <>
const std::vector<Adjustment>& enum_values();
template <>
const std::vector<StepShape>& enum_values();
template <>
const std::vector<EpsilonSchedule>& enum_values();

void visit_fields(RejectionOptions& options, OptionVisitor& visit);
void visit_fields(McmcOptions& options, OptionVisitor& visit);
void visit_fields(SmcOptions& options, OptionVisitor& visit);

/// What the three share, of whichever it is; null for other methods.
AbcOptions* abc_options(MethodOptions& options);
const AbcOptions* abc_options(const MethodOptions& options);

/// Throws ErrorKind::input if a pilot run is needed and the budget does not pay for it.
void check_pilot(const InferOptions& options);

}  // namespace epsfree
