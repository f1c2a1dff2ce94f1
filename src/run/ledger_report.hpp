// What a run's ledger holds, for people and programs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "epsfree/ledger.hpp"

namespace epsfree {

/// The simulations of one replicate, purpose and round.
struct LedgerGroup {
  std::uint32_t replicate = 0;
  Purpose purpose = Purpose::simulation;
  std::uint32_t round = 0;
  std::array<long, kNumSimStatuses> counts{};
  long num_attempts = 0;
  double seconds = 0;  ///< of all its simulations together
  /// What all of them were drawn from; unknown where that differs within the group.
  DrawnFrom drawn_from = DrawnFrom::unknown;

  long total() const;
};

/// A message of simulations that did not go well.
struct LedgerFailure {
  std::string message;
  SimStatus status = SimStatus::failed;
  long count = 0;
  Key first;
};

struct LedgerReport {
  std::string path;
  std::string problem;  ///< its name
  std::vector<LedgerGroup> groups;
  std::vector<LedgerFailure> failures;  ///< the most frequent first, at most ten
  long num_values = 0;                  ///< of the journal
  Index num_parameters = 0, num_statistics = 0;
  /// SHA-256 of keys, parameters, statuses and statistics: the same for any number of threads,
  /// interrupted or not.
  std::string digest;
};

/// "pilot", "simulation", or "purpose 7"
std::string purpose_name(Purpose purpose);

/// Reads the ledger of a run directory. Throws ErrorKind::io if there is none or a run is at work
/// on it, ErrorKind::input if it is damaged.
LedgerReport report_ledger(const std::string& run_directory);
std::string ledger_json(const LedgerReport& report);

/// Opens it to be read.
Ledger open_ledger(const std::string& run_directory);

}  // namespace epsfree
