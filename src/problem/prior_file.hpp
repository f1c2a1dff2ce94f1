// The [prior] table of a problem file.
#pragma once

#include <string>
#include <vector>

#include "epsfree/prior.hpp"
#include "io/section.hpp"

namespace epsfree {

struct NamedPrior {
  PriorPtr prior;
  std::vector<std::string> names;  ///< empty where the file gives none
};

/// Reads kind "independent", "gaussian" or "linear-image". Throws ErrorKind::input with place, key,
/// value and what was expected.
NamedPrior read_prior(Section& section);

}  // namespace epsfree
