// Opening the runs that a problem file names in [reuse].
#pragma once

#include "problem/problem_file.hpp"

namespace epsfree {

/// Takes the simulations from the prior of the runs in spec.reuse into spec.problem.known, and
/// their digest into spec.reuse. Does nothing without [reuse]. Throws ErrorKind::input if a run has
/// another prior or simulator, has nothing to give, or has changed since the digest was written.
void open_reused(ProblemSpec& spec);

}  // namespace epsfree
