// What the simulators that are programs have in common.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "epsfree/process_simulators.hpp"

namespace epsfree {

/// `path` as an absolute one, relative ones taken from `directory`.
std::string absolute_path(const std::string& path, const std::string& directory);

/// The file of this name that may be executed, in the first directory of the PATH that has one.
std::optional<std::string> find_on_path(const std::string& name);

/// The file that argv[0] means: from `directory` if it has a '/', else on the PATH. Throws
/// ErrorKind::input if there is none that may be executed.
std::string find_program(const ProcessOptions& options);

/// The names, or theta1, theta2, ...
std::vector<std::string> parameter_names(const ProcessOptions& options);

/// How long simulations take, and how long the next may take. Thread-safe.
class TimeLimit {
 public:
  explicit TimeLimit(const ProcessOptions& options);
  /// Of one that ended well.
  void add(double seconds);
  /// In seconds; infinite: none.
  double limit() const { return limit_.load(std::memory_order_relaxed); }
  /// Seconds; 0: not known yet.
  double median() const { return median_.load(std::memory_order_relaxed); }

 private:
  const double absolute_, factor_;
  std::atomic<double> limit_;
  std::atomic<double> median_{0};
  std::mutex mutex_;
  std::vector<double> durations_;  // the last so many
  std::size_t count_ = 0;
};

/// Whether a text is what programs say that were refused memory.
bool ran_out_of_memory(std::string_view said);
/// For the message of one that failed under a memory limit; "" if there is none. Why a program
/// fails, only the program knows: what it said tells whether the limit was the reason.
std::string memory_note(double memory_limit, std::string_view said);

/// ": WHAT IT SAID", for the end of a message; "" if it said nothing.
std::string quoted_error(const std::string& standard_error);

}  // namespace epsfree
