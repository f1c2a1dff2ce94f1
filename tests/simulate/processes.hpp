// Which processes run, for tests that none is left.
#pragma once

#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace epsfree {

/// A variable of the environment by which a test recognises the processes it has caused.
class ProcessMark {
 public:
  ProcessMark() {
    static int count = 0;
    value_ = std::to_string(::getpid()) + "-" + std::to_string(++count);
  }
  std::pair<std::string, std::string> variable() const { return {"EPSFREE_TEST_MARK", value_}; }

  /// Those that live; a zombie has no environment any more.
  std::vector<int> living() const {
    std::vector<int> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
      const int pid = std::atoi(entry.path().filename().c_str());
      if (pid <= 0) continue;
      std::ifstream file(entry.path() / "environ", std::ios::binary);
      const std::string text(std::istreambuf_iterator<char>(file), {});
      if (text.find("EPSFREE_TEST_MARK=" + value_ + '\0') != std::string::npos) {
        found.push_back(pid);
      }
    }
    return found;
  }

  bool wait_for(std::size_t count, double seconds = 10) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (living().size() != count) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

 private:
  std::string value_;
};

/// How many children of a process are zombies.
inline int num_zombies(int parent) {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos || text.size() < end + 4) continue;
    count += text[end + 2] == 'Z' && std::atoi(text.c_str() + end + 4) == parent;
  }
  return count;
}

/// One that has just ended is a zombie until its parent hears of it.
inline bool wait_for_no_zombies(int parent) {
  for (int i = 0; i < 100; ++i) {
    if (num_zombies(parent) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace epsfree
