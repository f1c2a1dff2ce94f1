// The options of the synthetic likelihood, listed once (base/option_visitor.hpp).
#pragma once

#include "base/option_visitor.hpp"
#include "epsfree/synthetic_options.hpp"

namespace epsfree {

template <>
const std::vector<SyntheticLikelihood>& enum_values();

void visit_fields(SyntheticOptions& options, OptionVisitor& visit);

}  // namespace epsfree
