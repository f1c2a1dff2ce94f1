// Reading a run directory, whatever state it is in.
#pragma once

#include <string>

#include "epsfree/ledger.hpp"
#include "report/run_contents.hpp"

namespace epsfree {

/// Whether a simulator that is a program or library is made ready to run.
enum class OpenSimulator {
  never,
  own,  ///< only if this user made the directory; otherwise ErrorKind::usage is thrown
  any,
};

/// Throws ErrorKind::io if there is no such directory and ErrorKind::input if it holds nothing of a
/// run. What opening the simulator fails with is a fault.
RunContents read_run(const std::string& path, OpenSimulator open = OpenSimulator::never);

/// What a report needs of a ledger.
RecordedSimulations recorded_simulations(Ledger& ledger);

/// The path of a run directory as its report names it: without a slash at its end.
std::string shown_directory(std::string path);

}  // namespace epsfree
