// One run of a program, from its start until nothing of it is left.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "simulate/process/nursery.hpp"

namespace epsfree {

enum class RunEnd : unsigned char {
  by_itself,  ///< whether well, the child says
  timeout,    ///< it took longer than it may
  stopped,    ///< the stop token was requested
  too_much,   ///< it wrote more than it may
};

struct CommandRun {
  std::unique_ptr<ChildProcess> child;
  RunEnd end = RunEnd::by_itself;
  std::string output = {};  ///< of standard output
};

struct CommandLimits {
  double seconds = 0;           ///< may be infinite
  std::size_t output_size = 0;  ///< of standard output; 0: it is drained like standard error
};

/// Throws what Nursery::spawn does.
CommandRun run_command(Nursery& nursery, const SpawnRequest& request, std::string_view input,
                       const CommandLimits& limits, const std::stop_token& stop);

}  // namespace epsfree
