// What simulators write: statistics, and lines of workers.
#include <cmath>

#include "base/number_text.hpp"
#include "fuzz/expect_error.hpp"
#include "fuzz/target.hpp"
#include "simulate/process/statistics_text.hpp"
#include "simulate/process/worker_message.hpp"

EPSFREE_FUZZ_TARGET(simulator_output) {
  using namespace epsfree;
  const std::string text = text_of(data, size);
  WorkerLine line;
  if (line.read(text) && line.has_x) {
    // What is written reads back as it was.
    std::string again = "{\"x\":[";
    for (const double value : line.x)
      again += (again.back() == '[' ? "" : ",") + number_text(value);
    WorkerLine other;
    if (!other.read(again + "]}") || other.x.size() != line.x.size()) __builtin_trap();
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      const bool both_nan = std::isnan(line.x[i]) && std::isnan(other.x[i]);
      if (!both_nan && line.x[i] != other.x[i]) __builtin_trap();
    }
  }
  Eigen::VectorXd x(3);
  const StatisticsText read = read_statistics(text, x);
  if (read.status == SimStatus::ok && !x.allFinite()) __builtin_trap();
  if (read.message.size() > 500) __builtin_trap();
}
