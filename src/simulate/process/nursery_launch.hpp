// How the nursery starts a child.
#pragma once

#include "simulate/process/nursery_protocol.hpp"

namespace epsfree::nursery {

void tell(int control, Event event, int value);

/// Starts what an order's descriptors say, and returns errno or 0. That execve failed is told over
/// the control socket. The child uses the stack until it execs, and the nursery waits for that.
int start(const int* descriptors, int nursery_pid, char* stack_end, int& child_pid);

}  // namespace epsfree::nursery
