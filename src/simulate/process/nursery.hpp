// This process's side of the nursery.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulate/process/child_process.hpp"
#include "simulate/process/descriptor.hpp"

namespace epsfree {

struct SpawnRequest {
  std::string program;  ///< its path; absolute
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to ours
  std::string directory;                                         ///< to run in; absolute
  bool with_input = false;  ///< a pipe as standard input; else /dev/null
  double grace_seconds = 2;
  double memory_limit = 0;  ///< in megabytes; 0: none
};

/// The process that starts all others. Thread-safe.
class Nursery {
 public:
  /// The one of this process, started if it does not run.
  static std::shared_ptr<Nursery> shared();
  /// The same, but from now on it is not started again.
  static void start_for_good();

  /// Throws ErrorKind::io.
  Nursery();
  /// Waits until everything has ended.
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  /// Throws ErrorKind::io if descriptors or memory are short, or the nursery is no more. That a
  /// program cannot be executed shows in the child.
  std::unique_ptr<ChildProcess> spawn(const SpawnRequest& request);

  /// Directories that are removed when this process has ended without doing so.
  void remember_scratch(const std::string& path);
  void forget_scratch(const std::string& path);

  bool is_alive() const;
  pid_t pid() const { return pid_; }

 private:
  void send_path(nursery::Order order, const std::string& path);

  pid_t owner_;
  pid_t pid_ = -1;
  Descriptor socket_;
  std::atomic<std::uint64_t> next_tag_{1};
};

}  // namespace epsfree
