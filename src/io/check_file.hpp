// check.json: what the checks of a run found, for people and programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "epsfree/diagnosis.hpp"

namespace epsfree {

/// What check.json holds.
struct CheckRecord {
  std::string version = {};  ///< of the epsfree that checked
  std::string digest = {};   ///< SHA-256 of the posterior.json that was checked
  std::uint64_t seed = 1;
  long num_posterior = 0;    ///< simulations from the posterior
  long num_prior = 0;        ///< simulations from the prior; those of the run itself included
  long num_repetitions = 0;  ///< inferences of the calibration; 0: there was none
  double seconds = 0;
  std::vector<Diagnosis> diagnoses = {};
  std::vector<std::string> notes = {};  ///< what could not be checked, and why

  Verdict verdict() const { return worst(diagnoses); }
  /// By its name, or null.
  const Diagnosis* find(const std::string& name) const;
};

std::string check_json(const CheckRecord& record);
/// Throws ErrorKind::input with the file and the key if it is damaged or newer.
CheckRecord parse_check(const std::string& text, const std::string& source);

}  // namespace epsfree
