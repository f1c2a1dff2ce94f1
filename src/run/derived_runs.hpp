// Runs that are made from other runs, without simulating.
#pragma once

#include <string>
#include <vector>

#include "problem/problem_file.hpp"
#include "run/run_results.hpp"

namespace epsfree {

/// The posterior of a finished run at another observation, without new simulations, as a run
/// directory of its own. Throws ErrorKind::usage where the run's estimator does not allow it.
RunReport run_at_observation(const std::string& run_directory, const ProblemOverrides& overrides,
                             const RunSettings& settings);

/// The posterior given the data of all the runs (see `combine` in posterior.hpp). Throws
/// ErrorKind::input if two of them hold the data of the same run.
RunReport combine_runs(const std::vector<std::string>& run_directories,
                       const RunSettings& settings);

}  // namespace epsfree
