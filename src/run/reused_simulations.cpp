#include "run/reused_simulations.hpp"

#include <memory>
#include <string_view>
#include <vector>

#include "epsfree/error.hpp"
#include "io/section.hpp"
#include "io/sha256.hpp"
#include "run/ledger_origin.hpp"
#include "run/ledger_report.hpp"
#include "run/open_run.hpp"
#include "run/run_directory.hpp"
#include "run/run_identity.hpp"

namespace epsfree {
namespace {

/// Why a run has nothing to give.
[[noreturn]] void fail_empty(const std::string& run, Ledger& ledger) {
  long near = 0, valid = 0;
  ledger.visit([&](const LedgerRow& row) {
    if (row.status == SimStatus::ok) ++valid;
    if (row.drawn_from == DrawnFrom::prior_near) ++near;
  });
  std::string why = "it recorded " + std::to_string(valid) +
                    " valid simulations, but none of them is known to be a draw from the prior";
  if (valid == 0) {
    why =
        "it recorded no valid simulation; fast simulations are recorded only with run.record = "
        "\"always\"";
  } else if (near > 0) {
    why =
        "it recorded only simulations near its observation (method.rejection.streaming), and "
        "these are not a sample of the prior";
  }
  throw Error(ErrorKind::input, "'" + run + "' has no simulation from the prior: " + why +
                                    ". Leave it out of [reuse]");
}

/// Throws where a run has another prior or simulator.
void check_same_model(const std::string& run, Ledger& ledger, const ProblemSpec& ours) {
  const auto problem = ledger.note("problem");
  if (!problem) {
    throw Error(ErrorKind::input, "'" + run + "' does not say what problem it is about");
  }
  const ProblemSpec theirs = parse_run_problem(*problem, in_directory(run, kRunFile));
  const IdentityComparison comparison = compare_identity(theirs, ours);
  for (const IdentityDifference& each : comparison.differences) {
    if (each.key.rfind("prior", 0) != 0 && each.key.rfind("simulator", 0) != 0) continue;
    throw Error(ErrorKind::input, "'" + run + "' is a run of another problem: " + each.key +
                                      " is " + each.before + " there and " + each.now + " here");
  }
}

/// One simulation after another.
struct Collected {
  std::vector<double> thetas, statistics;
};

void collect(const std::string& run, const ProblemSpec& spec, Collected& all) {
  const auto num_parameters = static_cast<std::size_t>(spec.problem.prior->dim());
  const auto num_statistics = static_cast<std::size_t>(spec.problem.observed.size());
  Ledger ledger = open_ledger(run);
  check_same_model(run, ledger, spec);
  const LedgerOrigin origin(ledger);
  const std::size_t before = all.thetas.size();
  ledger.visit([&](const LedgerRow& row) {
    if (row.status != SimStatus::ok || !origin.is_from_prior(row)) return;
    if (row.theta.size() != num_parameters || row.x.size() != num_statistics) {
      throw Error(ErrorKind::input, "'" + run + "' has simulations of another size");
    }
    all.thetas.insert(all.thetas.end(), row.theta.begin(), row.theta.end());
    all.statistics.insert(all.statistics.end(), row.x.begin(), row.x.end());
  });
  if (all.thetas.size() == before) fail_empty(run, ledger);
}

std::string digest_of(const std::vector<double>& values) {
  return sha256(std::string_view(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(double)));
}

}  // namespace

void open_reused(ProblemSpec& spec) {
  Reuse& reuse = spec.reuse;
  if (reuse.runs.empty() || spec.problem.known) return;
  const auto D = static_cast<std::size_t>(spec.problem.prior->dim());
  const auto S = static_cast<std::size_t>(spec.problem.observed.size());
  Collected all;
  std::string digests;
  for (const std::string& run : reuse.runs) {
    try {
      collect(run, spec, all);
    } catch (const Error& error) {
      throw Error(error.kind(), reuse.runs_place + ": key 'reuse.runs': " + error.what());
    }
    digests += digest_of(all.thetas) + digest_of(all.statistics);
  }
  const std::string digest = sha256(digests);
  if (!reuse.digest.empty() && reuse.digest != digest) {
    fail_at(reuse.digest_place, "reuse.digest",
            "the simulations of these runs have changed: their digest is now " + digest);
  }
  reuse.digest = digest;
  const auto count = static_cast<Index>(all.thetas.size() / D);
  auto known = std::make_shared<PriorSimulations>();
  known->thetas =
      Eigen::Map<const Eigen::MatrixXd>(all.thetas.data(), static_cast<Index>(D), count);
  known->statistics =
      Eigen::Map<const Eigen::MatrixXd>(all.statistics.data(), static_cast<Index>(S), count);
  spec.problem.known = std::move(known);
}

}  // namespace epsfree
