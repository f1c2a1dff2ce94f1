// A ledger's simulations in the formats of other programs.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "epsfree/ledger.hpp"

namespace epsfree {

enum class ExportFormat { csv, npy, json };
/// "csv", "npy" or "json". Throws ErrorKind::usage.
ExportFormat export_format(const std::string& name);

/// Writes all recorded simulations of a run directory in the order of their keys, some at a time;
/// docs/formats.md says how. Returns their number.
long export_simulations(const std::string& run_directory, ExportFormat format,
                        const std::function<void(std::string_view)>& write);

}  // namespace epsfree
