// What a ledger holds of a request.
#pragma once

#include <string_view>
#include <vector>

#include "epsfree/ledger.hpp"
#include "epsfree/runner.hpp"

namespace epsfree {

/// One request: what the ledger has of it, and what is missing.
class Replay {
 public:
  /// Throws ErrorKind::input where the ledger has a simulation of another theta under the same key,
  /// unless such are to be replaced.
  Replay(const SimulationRequest& request, Ledger& ledger, bool replace_others);

  /// Then there are neither results nor a list of what is missing: that would be everything.
  bool found_nothing() const { return total_ > 0 && num_found_ == 0; }
  SimulationResults& results() { return results_; }
  const std::vector<Index>& missing() const { return missing_; }
  long num_found() const { return num_found_; }
  long num_bad() const { return num_bad_; }
  bool any_good() const { return any_good_; }

  /// What a simulation that is not ok said; the first one counts.
  void note_failure(Index column, std::string_view message);

 private:
  void index_columns();
  Index column_at(Index place) const {
    return order_.empty() ? place : order_[static_cast<std::size_t>(place)];
  }
  Key key_at(Index place) const { return request_.key(column_at(place)); }
  void take(const LedgerRow& row);
  void make_room();

  const SimulationRequest& request_;
  const Index total_;
  const bool replace_others_;
  SimulationResults results_;
  std::vector<Index> order_;  // empty: columns are in the order of their keys
  std::vector<char> found_;
  std::vector<Index> missing_;
  Index place_ = 0;
  long num_found_ = 0;
  long num_bad_ = 0;
  bool any_good_ = false;
};

}  // namespace epsfree
