// Ctrl-C and SIGTERM.
#pragma once

namespace epsfree::cli {

/// From now on the first SIGINT or SIGTERM only sets a flag, so that the run can end in order; the
/// second ends the program at once.
void catch_interrupts();
/// For a process that another one tells when to end.
void ignore_interrupts();
bool interrupted();
/// Whether it was SIGTERM: a batch system wants the machine back, and will start the run again.
bool terminated();

}  // namespace epsfree::cli
