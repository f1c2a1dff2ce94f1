// The results of a finished run, checked against each other.
#pragma once

#include <string>

#include "epsfree/posterior.hpp"
#include "io/run_summary.hpp"

namespace epsfree {

/// The posterior of a run directory, checked as in open_summary, or of a posterior file.
PosteriorPtr open_posterior(const std::string& path);

/// The summary of a run directory, checked against the posterior that lies beside it. Throws
/// ErrorKind::input if they do not belong together.
RunSummary open_summary(const std::string& run_directory);

}  // namespace epsfree
