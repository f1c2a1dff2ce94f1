// report.html of a run directory.
#pragma once

#include <string>

#include "report/run_contents.hpp"

namespace epsfree {

/// Writes the report of what there is of a run; `file` empty: report.html in its directory. Returns
/// the path.
std::string write_report(const RunContents& run, const std::string& file = "");
/// Reads the run directory first.
std::string write_report(const std::string& run_directory, const std::string& file = "");

}  // namespace epsfree
