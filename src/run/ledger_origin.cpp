#include "run/ledger_origin.hpp"

#include "epsfree/error.hpp"
#include "infer/methods.hpp"
#include "problem/problem_file.hpp"

namespace epsfree {
namespace {

/// The first round of a run of version 0.1, from its resolved problem.
DrawnFrom first_round_of(const std::string& problem) {
  const ProblemSpec spec = parse_problem(problem, "the ledger's problem");
  return method_of(spec.options).first_round(spec.options.method);
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
