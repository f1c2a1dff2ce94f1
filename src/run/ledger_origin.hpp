// What the simulations of a ledger were drawn from.
#pragma once

#include "epsfree/ledger.hpp"

namespace epsfree {

/// Tells draws from the prior from all others. A ledger of version 0.1 does not say what a row was
/// drawn from, but the problem it notes says it of some: every method of that version drew the
/// pilot run and its first round from the prior, and recorded all of it unless rejection was
/// streaming. Whatever is not certain is not a draw from the prior.
class LedgerOrigin {
 public:
  explicit LedgerOrigin(Ledger& ledger);

  bool is_from_prior(const LedgerRow& row) const { return of(row) == DrawnFrom::prior; }
  /// What the row says, or what is certain about a row that does not say it.
  DrawnFrom of(const LedgerRow& row) const;

 private:
  DrawnFrom first_round_ = DrawnFrom::unknown;  // what a run of 0.1 drew from
};

}  // namespace epsfree
