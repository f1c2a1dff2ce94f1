// The budgets of the paper.
#pragma once

#include <string>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// How many simulations the authors of the paper spend on Algorithms 1 and 2 for a built-in model.
Index paper_budget(const std::string& model_name);

}  // namespace epsfree
