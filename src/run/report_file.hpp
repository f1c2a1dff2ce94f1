// report.html of a run directory.
#pragma once

#include <string>

#include "epsfree/ledger.hpp"

namespace epsfree {

/// Reads a run directory and writes its report; `file` empty: report.html in it. `ledger`: the
/// run's own, where the caller has it open. Returns the path.
std::string write_report(const std::string& run_directory, const std::string& file = "",
                         Ledger* ledger = nullptr);

}  // namespace epsfree
