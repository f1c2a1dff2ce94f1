// The [simulator] table of a problem file.
#pragma once

#include <string>
#include <vector>

#include "io/section.hpp"
#include "problem/simulator_spec.hpp"

namespace epsfree {

/// Every key that [simulator] takes with this kind.
std::vector<std::string> simulator_keys(SimulatorKind kind);

/// Reads the table. Nothing is run, loaded or looked for.
SimulatorSpec read_simulator(Section& section, const std::string& source);

/// Checks the options of a simulator of the user's own, now that its parameters are known.
void check_simulator_options(const Section& section, SimulatorSpec& spec,
                             const std::vector<std::string>& parameter_names);

/// Loads the library or finds the program. Throws with the place in the problem file if it is not
/// there or does not fit.
SimulatorPtr open_simulator(const SimulatorSpec& spec);

/// The table as TOML, every key included: reading it from any other folder gives the same.
std::string simulator_toml(const SimulatorSpec& spec);

/// A path of a problem file is relative to that file, one of the command line ("--set ...") to
/// where one stands; absolute from now on.
std::string resolved_path(const std::string& path, const std::string& where,
                          const std::string& source);

}  // namespace epsfree
