// report.html: one page that says what a run found, and whether to trust it.
#pragma once

#include <string>

#include "app/run_contents.hpp"

namespace epsfree {

/// The whole page, which needs no other file. Of an unfinished or damaged run it shows what there
/// is, and says what there is not.
std::string report_html(const RunContents& run);

/// Reads a run directory and writes its report; `file` empty: report.html in it. `ledger`: the
/// run's own, where the caller has it open. Returns the path.
std::string write_report(const std::string& run_directory, const std::string& file = "",
                         Ledger* ledger = nullptr);

}  // namespace epsfree
