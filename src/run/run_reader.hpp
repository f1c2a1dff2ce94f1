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
/// run. What opening the simulator fails with is a fault. `ledger`: the run's own, where the caller
/// has it open.
RunContents read_run(const std::string& path, OpenSimulator open = OpenSimulator::never,
                     Ledger* ledger = nullptr);

}  // namespace epsfree
