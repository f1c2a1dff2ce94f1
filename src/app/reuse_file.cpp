#include "app/reuse_file.hpp"

#include <algorithm>
#include <filesystem>

#include "app/document.hpp"
#include "app/ledger_origin.hpp"
#include "app/ledger_report.hpp"
#include "app/run_identity.hpp"
#include "app/sha256.hpp"
#include "epsfree/error.hpp"

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
void check_same_model(const std::string& run, const std::string& theirs, const std::string& ours) {
  const IdentityComparison comparison = compare_identity(theirs, ours);
  for (const IdentityDifference& each : comparison.differences) {
    if (each.key.rfind("prior", 0) != 0 && each.key.rfind("simulator", 0) != 0) continue;
    throw Error(ErrorKind::input, "'" + run + "' is a run of another problem: " + each.key +
                                      " is " + each.before + " there and " + each.now + " here");
  }
}

}  // namespace

Reuse read_reuse(Section& section, const std::string& folder, const std::string& problem_toml,
                 Problem& problem) {
  Reuse reuse;
  section.expect_only({"runs", "digest"});
  const auto runs = section.texts("runs");
  if (!runs || runs->empty()) section.fail_missing("runs", "an array of run directories");
  std::vector<double> thetas, statistics;
  // Not the simulator's: one of the user's own has not been opened yet.
  const auto D = static_cast<std::size_t>(problem.prior->dim());
  const auto S = static_cast<std::size_t>(problem.observed.size());
  std::string digests;
  for (const std::string& run : *runs) {
    std::filesystem::path path = run;
    if (path.is_relative() && section.where("runs").rfind("--", 0) != 0) {
      path = std::filesystem::path(folder) / path;
    }
    reuse.runs.push_back(std::filesystem::absolute(path).lexically_normal().string());
    try {
      Ledger ledger = open_ledger(path.string());
      check_same_model(run, ledger.note("problem").value_or(""), problem_toml);
      const LedgerOrigin origin(ledger);
      const std::size_t before = thetas.size();
      ledger.visit([&](const LedgerRow& row) {
        if (row.status != SimStatus::ok || !origin.is_from_prior(row)) return;
        if (row.theta.size() != D || row.x.size() != S) {
          throw Error(ErrorKind::input, "'" + run + "' has simulations of another size");
        }
        thetas.insert(thetas.end(), row.theta.begin(), row.theta.end());
        statistics.insert(statistics.end(), row.x.begin(), row.x.end());
      });
      if (thetas.size() == before) fail_empty(run, ledger);
    } catch (const Error& error) {
      throw Error(error.kind(), section.where("runs") + ": key 'reuse.runs': " + error.what());
    }
    const auto bytes = [](const std::vector<double>& values) {
      return std::string_view(reinterpret_cast<const char*>(values.data()),
                              values.size() * sizeof(double));
    };
    digests += sha256(bytes(thetas)) + sha256(bytes(statistics));
  }
  reuse.digest = sha256(digests);
  const auto expected = section.text("digest");
  if (expected && *expected != reuse.digest) {
    section.fail("digest",
                 "the simulations of these runs have changed: their digest is now " + reuse.digest);
  }
  auto known = std::make_shared<PriorSimulations>();
  const auto count = static_cast<Index>(thetas.size() / D);
  known->thetas = Eigen::Map<const Eigen::MatrixXd>(thetas.data(), static_cast<Index>(D), count);
  known->statistics =
      Eigen::Map<const Eigen::MatrixXd>(statistics.data(), static_cast<Index>(S), count);
  problem.known = std::move(known);
  return reuse;
}

std::string reuse_toml(const Reuse& reuse) {
  if (reuse.runs.empty()) return "";
  std::string list;
  for (const std::string& run : reuse.runs) list += (list.empty() ? "" : ", ") + toml_quote(run);
  return "\n[reuse]\nruns = [" + list + "]\ndigest = " + toml_quote(reuse.digest) + "\n";
}

}  // namespace epsfree
