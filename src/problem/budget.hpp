// Budgets: how many calls of the simulator a whole inference may make.
#pragma once

#include <string>

#include "epsfree/infer.hpp"

namespace epsfree {

/// The most calls of the simulator that these options can lead to, the pilot run's included.
Index planned_simulations(const InferOptions& options);

/// The same options with as many simulations as the budget allows. The default method takes it as
/// it is; of the others, the pilot run stays as it is,
/// the rounds and the final training share the rest in the proportion they have in `options`. The
/// plan is the budget to the last simulation, but for proposal-prior, whose rounds are all of one
/// size. Throws ErrorKind::usage if the budget is too small for the method.
InferOptions with_budget(InferOptions options, Index budget);

/// What the authors of the paper spend on Algorithms 1 and 2 for a built-in model.
Index paper_budget(const std::string& model_name);

}  // namespace epsfree
