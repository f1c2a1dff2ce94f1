#include "run/ledger_origin.hpp"

#include "epsfree/error.hpp"
#include "io/document.hpp"

namespace epsfree {
namespace {

const Node* find_in(const Node* table, const char* key) {
  return table != nullptr && table->is_table() ? table->find(key) : nullptr;
}

/// The first round of a run of version 0.1, from its resolved problem, which names every option.
DrawnFrom first_round_of(const std::string& problem) {
  const Node root = parse_toml(problem, "the ledger's problem");
  const Node* const method = find_in(&root, "method");
  const Node* const name = find_in(method, "name");
  if (name == nullptr || !std::holds_alternative<std::string>(name->value)) {
    return DrawnFrom::unknown;
  }
  if (std::get<std::string>(name->value) != "rejection-abc") return DrawnFrom::prior;
  const Node* const streaming = find_in(find_in(method, "rejection"), "streaming");
  if (streaming == nullptr || !std::holds_alternative<bool>(streaming->value)) {
    return DrawnFrom::unknown;
  }
  return std::get<bool>(streaming->value) ? DrawnFrom::prior_near : DrawnFrom::prior;
}

}  // namespace

LedgerOrigin::LedgerOrigin(Ledger& ledger) {
  const auto problem = ledger.note("problem");
  if (!problem) return;
  try {
    first_round_ = first_round_of(*problem);
  } catch (const Error&) {
    // It cannot be read: then nothing is certain.
  }
}

DrawnFrom LedgerOrigin::of(const LedgerRow& row) const {
  if (row.drawn_from != DrawnFrom::unknown) return row.drawn_from;
  if (row.key.purpose == Purpose::pilot_simulation) return DrawnFrom::prior;
  if (row.key.purpose != Purpose::simulation || row.key.round != 1) return DrawnFrom::unknown;
  // Version 0.1 imported draws from the prior only, each file as a replicate of its own.
  return row.key.replicate > 0 ? DrawnFrom::prior : first_round_;
}

}  // namespace epsfree
