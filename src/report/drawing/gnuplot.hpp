// Running gnuplot.
#pragma once

#include <string>

namespace epsfree {

/// Throws ErrorKind::usage, with what to install, unless a usable gnuplot is on the PATH.
void require_gnuplot();

/// Runs gnuplot, as found on the PATH, on a script and returns what it writes to its standard
/// output. No settings of the user's own are read. Throws ErrorKind::usage, with what to install,
/// if there is no gnuplot, and ErrorKind::io, with what it said, if it fails.
std::string run_gnuplot(const std::string& script);

}  // namespace epsfree
