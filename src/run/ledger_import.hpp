// Simulations made elsewhere, taken into a run directory.
#pragma once

#include <string>

namespace epsfree {

struct ImportSettings {
  std::string run;  ///< the run directory; made where there is none
  /// CSV with a header: columns theta:NAME, x:NAME and, if wanted, status and drawn_from
  std::string file;
  std::string problem;  ///< of a new run directory: its problem file; else empty
};

/// Records parameters drawn from the prior and what came of them under a replicate of their own.
/// Returns their number. Throws ErrorKind::input where the file does not fit the run's problem.
long import_simulations(const ImportSettings& settings);

}  // namespace epsfree
