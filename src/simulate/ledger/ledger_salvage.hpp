// Reading what is left of a damaged ledger.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "epsfree/ledger.hpp"

namespace epsfree {

/// What to do with what is found; each has passed its checksum.
struct Salvaged {
  std::function<void(const LedgerRow&)> simulation;
  std::function<void(std::string_view name, std::string_view value)> note;
  std::function<void(std::string_view name, std::string_view value)> value;
};

/// Walks the pages of an SQLite file (https://www.sqlite.org/fileformat2.html) without SQLite,
/// which gives up at the first contradiction: every page that is whole gives its rows, wherever the
/// damage is. `log` is the write-ahead log that a killed run left beside it, or empty.
void salvage_ledger(std::string bytes, const std::string& log, const Salvaged& salvaged);

}  // namespace epsfree
