// How the program ends, as a number.
#pragma once

#include "epsfree/error.hpp"

namespace epsfree::cli {

inline constexpr int kSuccess = 0;
/// Of commands that look whether something is as it should be.
inline constexpr int kCheckWarning = 3;
inline constexpr int kCheckFailure = 4;

/// The one table from kinds of errors to exit codes (sysexits.h, and 128 + SIGINT).
int exit_code(ErrorKind kind);

}  // namespace epsfree::cli
