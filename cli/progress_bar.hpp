// A bar on the terminal's current line.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "cli/pace.hpp"

namespace epsfree::cli {

/// Draws on standard error, which must be a terminal; whoever draws knows that it is one.
class ProgressBar {
 public:
  ProgressBar() = default;
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  /// "head [####....] done/total  speed  time left  note", ten times a second at most; the last
  /// step is always shown. Each head has a speed of its own.
  void draw(const std::string& head, long done, long total, const std::string& note);
  /// Leaves an empty line.
  void clear();

 private:
  std::map<std::string, Pace> paces_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_draw_{};
};

/// With blanks up to a width.
std::string padded(std::string text, std::size_t width);

}  // namespace epsfree::cli
