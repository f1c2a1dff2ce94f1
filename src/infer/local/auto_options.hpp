// The options of the default method, listed once (base/option_visitor.hpp).
#pragma once

#include "base/option_visitor.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {

void visit_fields(AutoOptions& options, OptionVisitor& visit);

/// Throws ErrorKind::input unless earlier budgets rise and are below this one.
void check_earlier_budgets(const InferOptions& options);

}  // namespace epsfree
