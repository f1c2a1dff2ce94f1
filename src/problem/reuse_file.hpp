// The [reuse] table of a problem file: simulations of other runs, pooled for one training.
#pragma once

#include <string>
#include <vector>

#include "io/section.hpp"

namespace epsfree {

/// Simulations of other runs that came from the prior.
struct Reuse {
  std::vector<std::string> runs = {};  ///< their directories
  /// SHA-256 of what is taken from them; empty: not known before they are opened.
  std::string digest = {};
  std::string runs_place = {}, digest_place = {};  ///< where these stand, for messages
};

/// Reads the table and opens nothing. Relative paths start at `folder`.
Reuse read_reuse(Section& section, const std::string& folder);

/// The table, or nothing where there is none.
std::string reuse_toml(const Reuse& reuse);

}  // namespace epsfree
