// How the ledger's tables are made up, shared by what writes them and what salvages them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "epsfree/ledger.hpp"

namespace epsfree {

inline constexpr int kLedgerPageBytes = 8192;
inline constexpr const char* kLedgerSchema = R"(
CREATE TABLE notes(
  name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE journal(
  name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE simulations(
  replicate INTEGER NOT NULL, purpose INTEGER NOT NULL, round INTEGER NOT NULL,
  number INTEGER NOT NULL, status INTEGER NOT NULL, attempts INTEGER NOT NULL,
  seconds REAL NOT NULL, theta BLOB NOT NULL, x BLOB NOT NULL, message TEXT NOT NULL,
  checksum INTEGER NOT NULL, drawn_from INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(replicate, purpose, round, number)) WITHOUT ROWID;
)";
/// Format 1 did not say what a simulation was drawn from; its rows stay as they are.
inline constexpr const char* kLedgerUpgrade =
    "ALTER TABLE simulations ADD COLUMN drawn_from INTEGER NOT NULL DEFAULT 0";
inline constexpr int kNumSimulationColumns = 12;
inline constexpr int kNumSimulationColumnsOfFormat1 = 11;
inline constexpr int kNumValueColumns = 3;  ///< of notes and journal

/// A 64-bit checksum: SQLite has none, and a damaged statistic must not pass for a good one. FNV-1a
/// over words.
class Checksum {
 public:
  Checksum& add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001b3ULL;
    state_ ^= state_ >> 29;
    return *this;
  }
  Checksum& add(std::string_view bytes) {
    add(bytes.size());
    while (bytes.size() >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), 8);
      add(word);
      bytes.remove_prefix(8);
    }
    std::uint64_t rest = 0;
    if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
    return add(rest);
  }
  std::int64_t value() const { return static_cast<std::int64_t>(state_); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

inline std::string_view bytes_of(std::span<const double> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Of a simulation: all but what it cost.
inline std::int64_t checksum_of(const LedgerRow& row) {
  Checksum sum;
  sum.add(row.key.replicate).add(static_cast<std::uint64_t>(row.key.purpose)).add(row.key.round);
  sum.add(row.key.index).add(static_cast<std::uint64_t>(row.status));
  sum.add(bytes_of(row.theta)).add(bytes_of(row.x)).add(row.message);
  // Rows of format 1 have none, and a checksum without it.
  if (row.drawn_from != DrawnFrom::unknown) sum.add(static_cast<std::uint64_t>(row.drawn_from));
  return sum.value();
}

inline std::int64_t checksum_of(std::string_view name, std::string_view value) {
  return Checksum().add(name).add(value).value();
}

}  // namespace epsfree
