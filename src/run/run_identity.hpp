// Whether two problems are the same run.
#pragma once

#include <string>
#include <vector>

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
  /// "method.network.num_components: 4 there, 8 here; seed: ..."
  std::string describe() const;
};

/// Compares two resolved problems, as resolved_toml writes them. Keys that only say how a run is
/// carried out or shown do not count.
IdentityComparison compare_identity(const std::string& before, const std::string& now);

/// Whether a key, such as "run.threads", may change between runs of one problem.
bool is_operational(const std::string& key);

}  // namespace epsfree
