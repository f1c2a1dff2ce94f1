// Whether two problems are the same run.
#pragma once

#include <string>
#include <vector>

#include "problem/problem_file.hpp"

namespace epsfree {

/// A key that defines the result and differs.
struct IdentityDifference {
  std::string key;
  std::string before, now;  ///< as TOML, or "nothing"
};

struct IdentityComparison {
  std::vector<IdentityDifference> differences;
  /// Keys of the budget that are larger now, which an unfinished or finished run can go on with.
  std::vector<IdentityDifference> grown;

  bool same() const { return differences.empty() && grown.empty(); }
  /// "method.network.num_components is 4 there and 8 here; seed is ..."
  std::string describe() const;
};

/// Compares two problems by their values: seed, simulator, prior, observation, method and what is
/// reused. What only says how a run is carried out or shown does not count. Simulators need not be
/// open.
IdentityComparison compare_identity(const ProblemSpec& before, const ProblemSpec& now);

}  // namespace epsfree
