// Ctrl-C.
#pragma once

namespace epsfree::cli {

/// From now on the first SIGINT or SIGTERM only sets a flag, so that the run can end in order; the
/// second ends the program at once.
void catch_interrupts();
bool interrupted();

}  // namespace epsfree::cli
