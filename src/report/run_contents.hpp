// What there is of a run, whatever state it is in: what its report shows.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/estimator.hpp"
#include "epsfree/ledger.hpp"
#include "io/check_file.hpp"
#include "io/run_summary.hpp"
#include "problem/problem_file.hpp"

namespace epsfree {

/// What the ledger says of the simulations: how they ended, how long they took, and where.
struct RecordedSimulations {
  long num_recorded = 0;
  std::array<long, kNumSimStatuses> counts{};
  /// Of some thousands of them, evenly chosen: one column or entry each.
  Eigen::MatrixXd thetas;
  Eigen::VectorXd seconds;
  std::vector<SimStatus> statuses;
};

/// Parts that are missing or cannot be read are empty, and `faults` says why.
struct RunContents {
  std::string path;
  /// As of status.json, or "died"; "finished" where there is a summary.
  std::string state = "unfinished";
  std::string run_toml = {};
  std::optional<ProblemSpec> problem = {};
  std::optional<RunSummary> summary = {};
  PosteriorPtr posterior = {};
  std::shared_ptr<const Estimator> estimator = {};
  std::optional<RecordedSimulations> simulations = {};
  std::optional<CheckRecord> check = {};  ///< of this posterior
  std::vector<std::string> faults = {};

  bool finished() const { return summary.has_value(); }
  /// For a diagnosis: what of the result there is. Throws ErrorKind::input, with the faults, unless
  /// it is finished and whole.
  InferResult result() const;
};

}  // namespace epsfree
