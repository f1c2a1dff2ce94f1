// Marginals from a family and its numbers, as files hold them.
#pragma once

#include <vector>

#include "epsfree/prior.hpp"

namespace epsfree {

/// Every family, in the order of its enumeration.
const std::vector<Family>& all_families();

/// The named constructor of the family with these arguments. Throws ErrorKind::input if their
/// number is not the family's, or as the constructor does.
Marginal make_marginal(Family family, const std::vector<double>& parameters);

}  // namespace epsfree
