#include <algorithm>
#include <cmath>
#include <set>

#include "base/require.hpp"
#include "epsfree/process_simulators.hpp"
#include "simulate/process/command_arguments.hpp"
#include "simulate/process/program.hpp"

namespace epsfree {
namespace {

constexpr double kMostMegabytes = 1e9;

[[noreturn]] void reject_options(const std::string& message) {
  throw Error(ErrorKind::input, message);
}

void require_seconds(const std::string& field, double value) {
  require(std::isfinite(value) && value >= 0, field, value, "0 or more, and finite");
}

void require_text(const std::string& field, const std::string& text) {
  if (text.find('\0') != std::string::npos) reject_options(field + " contains a zero byte");
}

void require_file_name(const std::string& field, const std::string& name) {
  require_text(field, name);
  if (name.find('/') != std::string::npos || name == "." || name == "..") {
    reject_options(field + " is '" + name +
                   "'; it must be a name without '/', in the working directory");
  }
}

}  // namespace

void ProcessOptions::validate(const std::string& field) const {
  require(num_parameters >= 1, field + "num_parameters", num_parameters, "at least 1");
  require(num_statistics >= 1, field + "num_statistics", num_statistics, "at least 1");
  if (!names.empty() && static_cast<Index>(names.size()) != num_parameters) {
    reject_options(field + "names has " + std::to_string(names.size()) +
                   " entries, but there are " + std::to_string(num_parameters) + " parameters");
  }
  if (argv.empty() || argv.front().empty()) {
    reject_options(field + "argv is empty; it must begin with the program");
  }
  for (const std::string& argument : argv) require_text(field + "argv", argument);
  require_text(field + "directory", directory);
  for (const auto& [name, value] : environment) {
    require_text(field + "environment", name);
    require_text(field + "environment", value);
    if (name.empty() || name.find('=') != std::string::npos) {
      reject_options(field + "environment has a variable '" + name +
                     "'; a name must not be empty or contain '='");
    }
  }
  require_seconds(field + "time_limit_seconds", time_limit_seconds);
  require(std::isfinite(time_limit_factor) && (time_limit_factor == 0 || time_limit_factor > 1),
          field + "time_limit_factor", time_limit_factor, "0 or more than 1");
  require(memory_limit == 0 || (memory_limit >= 1 && memory_limit <= kMostMegabytes),
          field + "memory_limit", memory_limit, "0 (no limit), or megabytes from 1 to 1e9");
  require_seconds(field + "grace_seconds", grace_seconds);
}

void CommandOptions::validate(const std::string& field) const {
  process.validate(field);
  require_file_name(field + "input_name", input_name);
  require_file_name(field + "output_name", output_name);
  require_text(field + "scratch_directory", scratch_directory);
  require_text(field + "keep_failed", keep_failed);
  require(max_kept >= 0, field + "max_kept", max_kept, "0 or more");
  const CommandArguments arguments(*this, field);
  if (output == CommandOutput::file && input == CommandInput::file &&
      arguments.input_name() == arguments.output_name()) {
    reject_options(field + "output_name is '" + arguments.output_name() +
                   "', which is also the name of the input file");
  }
  if (input == CommandInput::arguments && !arguments.uses_theta()) {
    reject_options(
        field +
        "argv names no parameter; write {theta} or {NAME} in it, or choose standard_input or "
        "file as input");
  }
}

void WorkerOptions::validate(const std::string& field) const {
  process.validate(field);
  require(std::isfinite(startup_seconds) && startup_seconds > 0, field + "startup_seconds",
          startup_seconds, "positive and finite");
  require_between(1, 65536, field + "max_in_flight", max_in_flight);
}

std::uint64_t simulation_seed(Stream stream) { return stream.bits64(); }

}  // namespace epsfree
