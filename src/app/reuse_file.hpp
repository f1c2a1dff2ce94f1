// The [reuse] table of a problem file: simulations of other runs, pooled for one training.
#pragma once

#include <string>
#include <vector>

#include "app/section.hpp"
#include "epsfree/problem.hpp"

namespace epsfree {

/// Simulations of other runs that came from the prior.
struct Reuse {
  std::vector<std::string> runs = {};  ///< their directories
  std::string digest = {};             ///< of what was taken from them
};

/// Reads the table and the simulations. Their runs must have the same prior and simulator as
/// `problem_toml`, the resolved problem. Relative paths start at `folder`. Throws ErrorKind::input
/// where something does not fit, or has changed since `digest` was written.
Reuse read_reuse(Section& section, const std::string& folder, const std::string& problem_toml,
                 Problem& problem);

/// The table, or nothing where there is none.
std::string reuse_toml(const Reuse& reuse);

}  // namespace epsfree
