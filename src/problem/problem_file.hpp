// Problem files: what to infer, from what, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/infer.hpp"
#include "epsfree/problem.hpp"
#include "io/document.hpp"
#include "problem/reuse_file.hpp"
#include "problem/run_file.hpp"
#include "problem/simulator_file.hpp"

namespace epsfree {

/// What the command line says over the problem file.
struct ProblemOverrides {
  std::vector<std::string> assignments = {};      ///< of --set, "method.num_simulations=500"
  std::optional<std::int64_t> seed = {};          ///< of --seed
  std::optional<std::string> observed_file = {};  ///< of --observed
  std::optional<std::int64_t> observe_seed = {};  ///< of --observe-seed
  /// Whether there must be an observation: to try a simulator, or to make one, there need not.
  bool needs_observed = true;
  /// Whether the observation may stand in another file. The run.toml of a run directory holds it
  /// itself; one from elsewhere must not make epsfree read whatever file it names.
  bool may_name_observed_file = true;
  RunOverrides run = {};  ///< of --threads and the like
};

/// A problem file, read and checked, with all that its run.toml needs.
struct ProblemSpec {
  std::string name;    ///< of the problem; names its default run directory
  std::string source;  ///< the file it came from
  std::string model;   ///< the simulator's label: a built-in model's name, ...
  SimulatorSpec simulator = {};
  std::optional<Node> prior_table = {};  ///< as written in the file; none: the model's own
  std::string observed_note;             ///< where the observation came from, for people
  /// Why its file could not be read, for a command that goes on without it; empty: it could, or
  /// there is none yet.
  std::string observed_fault = {};
  std::vector<std::string> statistic_names = {};
  Problem problem = {};
  InferOptions options = {};
  RunOptions run = {};
  Reuse reuse = {};  ///< simulations of other runs; open_reused brings them into problem.known
};

/// Reads and checks a problem file and opens its simulator. Throws ErrorKind::io if a file cannot
/// be read and ErrorKind::input, with file, line, key, value and what was expected, if it is wrong.
ProblemSpec load_problem(const std::string& path, const ProblemOverrides& overrides = {});
/// The same from text that has been read already.
ProblemSpec open_problem(const std::string& text, const std::string& source,
                         const ProblemOverrides& overrides = {});
/// The same from what parse_problem has read.
ProblemSpec open_problem(ProblemSpec parsed);
/// The same from text; `source` names it in messages and its folder is where relative paths start.
/// A simulator of the user's own is not opened: problem.simulator is null.
ProblemSpec parse_problem(const std::string& text, const std::string& source,
                          const ProblemOverrides& overrides = {});

/// The problem with everything resolved: reading it again gives the same run, bit for bit.
std::string resolved_toml(const ProblemSpec& spec);

/// A commented problem file for a built-in model, to start from.
std::string starter_toml(const std::string& model_name, const std::string& method = "auto");

/// Options of a method that suit a built-in model and finish in seconds.
InferOptions starter_options(const std::string& model_name, const std::string& method);

}  // namespace epsfree
