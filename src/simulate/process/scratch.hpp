// Working directories of commands: made for one simulation, and removed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "simulate/process/nursery.hpp"

namespace epsfree {

/// A directory under which working directories are made; it is removed with all of them when this
/// object goes, or by the nursery if this process does not come to it. Thread-safe.
class Scratch {
 public:
  /// Under `base`, which is made if need be; nothing else happens before the first working
  /// directory is asked for.
  Scratch(std::string base, std::shared_ptr<Nursery> nursery);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// An empty directory's absolute path. Throws ErrorKind::io.
  std::string make();
  /// Removes it, or keeps it for the next that asks if it is empty and nothing can still be at work
  /// in it: on a busy disk, to make and remove one takes longer than to run a small program.
  void remove(const std::string& directory, bool reuse = false);

 private:
  std::string make_root() const;

  std::string base_;
  std::shared_ptr<Nursery> nursery_;
  std::atomic<long> next_{0};
  std::mutex mutex_;                // of what follows
  std::string root_;                // set once; empty: not made yet
  std::vector<std::string> empty_;  // to be used again
};

}  // namespace epsfree
