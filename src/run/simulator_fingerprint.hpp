// What a simulator is made of, so that a change of it is noticed.
#pragma once

#include <string>
#include <vector>

#include "problem/simulator_file.hpp"

namespace epsfree {

/// What differs between two fingerprints.
struct SimulatorChange {
  std::string what;  ///< "program", "argument 1", "module sir"
  std::string path;  ///< as it is now, or was if it is gone
};

/// The files, or the functions, that a simulator consists of, each with a digest. Where they lie
/// does not count: a folder may be moved.
class SimulatorFingerprint {
 public:
  SimulatorFingerprint() = default;
  explicit SimulatorFingerprint(std::vector<SimulatorPart> parts) : parts_(std::move(parts)) {}

  /// A shared library; a command's program and those of its arguments that are files; a Python
  /// module in the folder it is run in or on PYTHONPATH, with all that it imports from its own
  /// folder; a built-in model's revision; what Python says of a function. Nothing is run. A file
  /// that cannot be read is no part of it.
  static SimulatorFingerprint of(const SimulatorSpec& spec);
  /// As `text` wrote it. Throws ErrorKind::input.
  static SimulatorFingerprint from_text(const std::string& text, const std::string& source);

  const std::vector<SimulatorPart>& parts() const { return parts_; }
  /// JSON: an array of objects with `what`, `path` and `digest`.
  std::string text() const;
  /// What was changed, added or removed since.
  std::vector<SimulatorChange> changes_since(const SimulatorFingerprint& before) const;
  /// Leaves out the files, other than scripts, that changed while the simulator was at work, from
  /// this fingerprint to a later one: it writes to them itself.
  SimulatorFingerprint without_outputs(const SimulatorFingerprint& later) const;

 private:
  std::vector<SimulatorPart> parts_;
};

/// "'/home/ann/sir.py' (module sir), ..."
std::string describe(const std::vector<SimulatorChange>& changes);

}  // namespace epsfree
