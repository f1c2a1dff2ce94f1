// Simulators that are programs: one process per simulation, or workers that stay.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "epsfree/simulator.hpp"

namespace epsfree {

/// What both kinds have in common.
struct ProcessOptions {
  Index num_parameters = 0;
  Index num_statistics = 0;
  /// One name per parameter, for placeholders and input files; empty: theta1, theta2, ...
  std::vector<std::string> names = {};
  /// The program and its arguments. No shell is involved. A program with a '/' is looked for from
  /// `directory`, one without on the PATH.
  std::vector<std::string> argv = {};
  /// Where relative paths start, usually the problem file's directory; empty: the current one.
  /// Workers run in it; a command runs in a directory of its own and finds it as {directory}.
  std::string directory = {};
  /// Added to the environment, which is otherwise that of this process.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// The longest a simulation may take, in seconds; 0: no limit. One that takes longer is ended and
  /// is a `timeout`.
  double time_limit_seconds = 0;
  /// The same as a multiple of the median duration of those that have ended well so far, once there
  /// are 20, and never less than 0.1 s; 0: no limit.
  double time_limit_factor = 0;
  /// The largest memory that a process may use, in megabytes of a million bytes; 0: no limit. A
  /// request for more memory fails, and a simulation that fails because of it is `failed`. The
  /// limit applies to each process separately, to private writable memory (RLIMIT_DATA of Linux).
  double memory_limit = 0;
  /// How long whatever is to end has between SIGTERM and SIGKILL.
  double grace_seconds = 2;

  /// Throws ErrorKind::input, with `field` before the name of what is wrong.
  void validate(const std::string& field = "simulator.") const;
};

/// Where a command finds its parameters besides its arguments.
enum class CommandInput : unsigned char {
  arguments,       ///< nowhere else: standard input is empty
  standard_input,  ///< on standard input, in `input_format`
  file,            ///< in a file, in `input_format`; {input} is its path
};
/// json: {"seed": "7", "theta": [0.1, 2], "parameters": {"rate": 0.1, "scale": 2}}
/// csv: a line of names with `seed` as the last, then a line of values
/// text: a line of values separated by blanks, then a line with the seed
enum class CommandFormat : unsigned char { json, csv, text };
/// Where a command's statistics are read from: numbers separated by blanks, commas or line ends, or
/// a JSON array.
enum class CommandOutput : unsigned char {
  standard_output,
  file,  ///< {output} is its path
};

/// One process per simulation.
///
/// In each of `argv` but the first, these are replaced:
///   {NAME}       the parameter of that name; {1}, {2}, ... by number
///   {theta}      all of them: as an argument of its own one argument each, else joined by commas
///   {seed}       64 bits of randomness, in decimal; {seed31}: 31 of them, for programs whose seeds
///                are small (they may coincide)
///   {input}      the input file; {output} the output file; absolute paths
///   {directory}  `process.directory`, as an absolute path
///   {{ and }}    a brace
/// Each simulation runs in a directory of its own that is empty but for the input file and is
/// removed afterwards.
///
/// A simulation is `ok` with exit code 0 and `num_statistics` finite numbers; `invalid` with exit
/// code 0 and NaN or Inf among them; `failed` with another exit code, by a signal, with another
/// count of numbers or when something else than numbers is found; `lost` if somebody else ended it
/// (SIGTERM, SIGKILL, SIGINT, SIGHUP). Its message then ends with what it wrote last on standard
/// error.
struct CommandOptions {
  ProcessOptions process = {};
  CommandInput input = CommandInput::arguments;
  CommandFormat input_format = CommandFormat::json;
  CommandOutput output = CommandOutput::standard_output;
  /// Names within the working directory; empty: input.json (.csv, .txt), output.txt.
  std::string input_name = {};
  std::string output_name = {};
  /// Where working directories are made; empty: where the system keeps temporary files.
  std::string scratch_directory = {};
  /// If given, the working directories of `failed` and `timeout` simulations are kept there, as
  /// seed-SEED, with what was said on standard output and error; at most `max_kept` of them.
  /// Relative to `process.directory`.
  std::string keep_failed = {};
  int max_kept = 20;

  void validate(const std::string& field = "simulator.") const;
};

/// Workers: processes that stay and answer one line of JSON to each, as docs/worker-protocol.md
/// says. One runs per thread that simulates; one that dies or misbehaves is replaced.
struct WorkerOptions {
  ProcessOptions process = {};
  /// How long a worker may take until it says hello.
  double startup_seconds = 120;
  /// The most simulations that are sent to a worker before the first is answered. Slow simulators
  /// are given fewer, so that all workers have some.
  int max_in_flight = 64;

  void validate(const std::string& field = "simulator.") const;
};

/// Both start the nursery if it does not run yet. Faults of single simulations are outcomes; a
/// program that is not there throws ErrorKind::input here.
SimulatorPtr command_simulator(const CommandOptions& options);
SimulatorPtr worker_simulator(const WorkerOptions& options);

/// The `argv` of a worker that calls a Python function, "module:function". The module is looked for
/// in `directory` of the options first. The function takes theta, and seed or rng
/// (docs/worker-protocol.md). Throws ErrorKind::input if `target` has not that form, ErrorKind::io
/// if epsfree_worker.py is not found; the environment variable EPSFREE_WORKER_PY names it.
std::vector<std::string> python_worker_argv(const std::string& target,
                                            const std::string& python = "python3");

/// The seed that these simulators give to the simulation with this stream: its first 64 bits.
std::uint64_t simulation_seed(Stream stream);

/// Starts the nursery: a small process that starts all others, so that none is left when this one
/// ends, in whatever way. Process simulators start it themselves; a program calls this at its start
/// if it will use MPI, since nothing may fork after MPI_Init, or if it has much memory later. Once
/// started by this function it is not started again should somebody kill it.
void start_nursery();

}  // namespace epsfree
