// Who made a run directory: one that this user did not make runs no code.
#pragma once

#include <string>

#include "problem/problem_file.hpp"

namespace epsfree {

/// Marks a run directory as this user's own: origin.json holds a keyed hash (HMAC-SHA-256) of what
/// run.toml says of the simulator. Does nothing where run.toml says something else than `spec`, the
/// problem that this user has run, or where there is no key.
void sign_run(const std::string& directory, const ProblemSpec& spec);

/// Why the simulator that `run_toml` names must not be run; empty: it may be. Built-in models may
/// always.
std::string why_foreign(const std::string& directory, const std::string& run_toml);

/// Throws ErrorKind::usage where it must not, unless the user trusts it.
void require_own(const std::string& directory, const std::string& run_toml, bool trust);

}  // namespace epsfree
