// The one list of the keys of [simulator]: name, where it is kept, what it means. Reader, writer,
// starter files and the documentation's test are made from it.
#pragma once

#include <string>
#include <vector>

#include "base/enum_values.hpp"
#include "problem/simulator_spec.hpp"

namespace epsfree {

template <>
inline const std::vector<CommandInput>& enum_values() {
  static const std::vector<CommandInput> values = {
      CommandInput::arguments, CommandInput::standard_input, CommandInput::file};
  return values;
}
template <>
inline const std::vector<CommandFormat>& enum_values() {
  static const std::vector<CommandFormat> values = {CommandFormat::json, CommandFormat::csv,
                                                    CommandFormat::text};
  return values;
}
template <>
inline const std::vector<CommandOutput>& enum_values() {
  static const std::vector<CommandOutput> values = {CommandOutput::standard_output,
                                                    CommandOutput::file};
  return values;
}
inline std::string to_string(CommandInput input) {
  return input == CommandInput::arguments        ? "arguments"
         : input == CommandInput::standard_input ? "stdin"
                                                 : "file";
}
inline std::string to_string(CommandFormat format) {
  return format == CommandFormat::json ? "json" : format == CommandFormat::csv ? "csv" : "text";
}
inline std::string to_string(CommandOutput output) {
  return output == CommandOutput::standard_output ? "stdout" : "file";
}

// visit(name, field, help) is called for each key; visit.path(...) for those that are paths.

template <class Options, class Visitor>
void visit_process_fields(Options& o, Visitor& visit) {
  visit.path("directory", o.directory,
             "where the program's relative paths start; by default the folder of the problem file");
  visit("environment", o.environment, "a table of variables to add to the environment");
  visit("time_limit_seconds", o.time_limit_seconds,
        "the longest a simulation may take; 0: no limit");
  visit("time_limit_factor", o.time_limit_factor,
        "the same as a multiple of the median duration so far; 0: no limit");
  visit("memory_limit", o.memory_limit,
        "largest memory that a process may use, in megabytes; 0: no limit");
  visit("grace_seconds", o.grace_seconds, "between asking a program to end and making it end");
}

/// Those of the simulator's kind; a built-in model has none.
template <class Spec, class Visitor>
void visit_simulator_fields(Spec& spec, Visitor& visit) {
  switch (spec.kind) {
    case SimulatorKind::model:
    case SimulatorKind::closure:
      return;
    case SimulatorKind::plugin:
      visit.path("directory", spec.plugin_directory,
                 "where a relative path starts; by default the folder of the problem file");
      visit("thread_safe", spec.plugin.thread_safe,
            "whether several threads may call it at once; by default what the library says");
      return;
    case SimulatorKind::command:
      visit("input", spec.command.input,
            "where it finds its parameters besides its arguments: \"arguments\" (nowhere else), "
            "\"stdin\" or \"file\"");
      visit("input_format", spec.command.input_format,
            "of standard input or the input file: \"json\", \"csv\" or \"text\"");
      visit("output", spec.command.output,
            "where it leaves its statistics: \"stdout\" or \"file\"");
      visit("input_name", spec.command.input_name,
            "of the input file; by default input.json, .csv or .txt");
      visit("output_name", spec.command.output_name, "of the output file; by default output.txt");
      visit.path("scratch_directory", spec.command.scratch_directory,
                 "where working directories are made; by default the system's for temporary files");
      visit.path(
          "keep_failed", spec.command.keep_failed,
          "where the working directories of failed simulations are kept; by default nowhere");
      visit("max_kept", spec.command.max_kept, "the most of them");
      visit_process_fields(spec.command.process, visit);
      return;
    case SimulatorKind::python:
      visit("interpreter", spec.interpreter, "the Python to run it with");
      [[fallthrough]];
    case SimulatorKind::worker:
      visit("startup_seconds", spec.worker.startup_seconds,
            "how long a worker may take until it says hello");
      visit("max_in_flight", spec.worker.max_in_flight,
            "the most simulations sent to a worker before the first is answered");
      visit_process_fields(spec.worker.process, visit);
      return;
  }
}

}  // namespace epsfree
