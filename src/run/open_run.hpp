// The parts of a run directory, checked against each other.
#pragma once

#include <optional>
#include <string>

#include "epsfree/posterior.hpp"
#include "io/check_file.hpp"
#include "io/run_summary.hpp"
#include "problem/problem_file.hpp"

namespace epsfree {

/// What a finished run found.
struct RunAnswer {
  RunSummary summary;
  PosteriorPtr posterior;
};
/// Of a run directory, checked as in open_summary.
RunAnswer open_answer(const std::string& run_directory);

/// The posterior of a run directory, checked as in open_summary, or of a posterior file.
PosteriorPtr open_posterior(const std::string& path);
/// The same where the summary has been read already.
PosteriorPtr open_posterior(const std::string& run_directory, const RunSummary& summary);

/// The summary of a run directory, checked against the posterior that lies beside it. Throws
/// ErrorKind::input if they do not belong together.
RunSummary open_summary(const std::string& run_directory);

/// What the checks of a posterior with this digest found; none where it was not checked. Throws
/// ErrorKind::input if check.json is damaged.
std::optional<CheckRecord> open_check(const std::string& run_directory, const std::string& digest);

/// The problem of a run, from its run.toml or its ledger: `source` names it in messages. Opens
/// nothing, not even a file with the observation: the text itself has that.
ProblemSpec parse_run_problem(const std::string& run_toml, const std::string& source);

}  // namespace epsfree
