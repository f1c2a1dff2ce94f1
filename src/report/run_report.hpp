// report.html: one page that says what a run found, and whether to trust it.
#pragma once

#include <string>

#include "report/run_contents.hpp"

namespace epsfree {

/// The whole page, which needs no other file. Of an unfinished or damaged run it shows what there
/// is, and says what there is not.
std::string report_html(const RunContents& run);

}  // namespace epsfree
