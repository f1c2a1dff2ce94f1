#include "simulate/process/command_run.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace epsfree {
namespace {

using Clock = std::chrono::steady_clock;

// How soon a stop request is noticed.
constexpr double kPatienceSeconds = 0.05;

}  // namespace

CommandRun run_command(Nursery& nursery, const SpawnRequest& request, std::string_view input,
                       const CommandLimits& limits, const std::stop_token& stop) {
  const auto start = Clock::now();
  CommandRun run{nursery.spawn(request)};
  ChildProcess& child = *run.child;
  const auto read_out = [&] {
    child.read_out(run.output);
    if (limits.output_size == 0) {
      child.tail.append(run.output);
      run.output.clear();
    } else if (run.output.size() > limits.output_size) {
      run.output.resize(limits.output_size);
      if (run.end == RunEnd::by_itself) run.end = RunEnd::too_much;
      child.end();
    }
  };
  while (!child.gone()) {
    double rest = kPatienceSeconds;
    if (run.end == RunEnd::by_itself && !child.exited()) {
      const double left =
          limits.seconds - std::chrono::duration<double>(Clock::now() - start).count();
      // This process may have been stopped meanwhile: what has ended in time did so.
      if (left <= 0) child.listen();
      if (stop.stop_requested()) run.end = RunEnd::stopped;
      if (left <= 0 && !child.exited()) run.end = RunEnd::timeout;
      if (run.end != RunEnd::by_itself) child.end();
      rest = std::clamp(left, 0.0, kPatienceSeconds);
    }
    pollfd polled[4] = {{child.control(), POLLIN, 0},
                        {child.out(), POLLIN, 0},
                        {child.err(), POLLIN, 0},
                        {child.in(), POLLOUT, 0}};
    ::poll(polled, 4, static_cast<int>(std::ceil(rest * 1000)));
    if (polled[3].revents != 0) {
      const long written = child.write(input);
      if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
      if (input.empty()) child.close_in();
    }
    if (polled[1].revents != 0) read_out();
    if (polled[2].revents != 0) child.read_err();
    if (polled[0].revents != 0) child.listen();
  }
  // What it wrote before its end is in the pipes; a stray that holds them open is not waited for.
  for (std::size_t before = 0; child.out() >= 0 && run.end == RunEnd::by_itself;) {
    before = run.output.size();
    read_out();
    if (run.output.size() == before) break;
  }
  child.read_err();
  return run;
}

}  // namespace epsfree
