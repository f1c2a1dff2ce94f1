#include "cli/progress_bar.hpp"

#include <algorithm>

#include "cli/terminal.hpp"

namespace epsfree::cli {

void ProgressBar::draw(const std::string& head, long done, long total, const std::string& note) {
  // Ten times a second is smooth enough.
  const auto now = std::chrono::steady_clock::now();
  Pace& pace = paces_[head];
  pace.see(done, now);
  if (drawn_ && done < total && now - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = now;
  const double share =
      total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 0;
  std::string tail = " " + std::to_string(done) + "/" + std::to_string(total);
  for (const std::string& part : {pace.text(total), note}) {
    if (!part.empty()) tail += "  " + part;
  }
  const int room = terminal_width() - static_cast<int>(head.size() + tail.size()) - 4;
  const int width = std::clamp(room, 0, 40);
  drawn_ = true;
  if (width == 0) {
    // A line that wraps could not be drawn over.
    const auto most = static_cast<std::size_t>(std::max(terminal_width() - 1, 1));
    write_err("\r" + (head + tail).substr(0, most) + "\033[K");
    return;
  }
  const int filled = static_cast<int>(share * width);
  write_err("\r" + head + " [" + styled(std::string(static_cast<std::size_t>(filled), '#'), "32") +
            std::string(static_cast<std::size_t>(width - filled), '.') + "]" + tail + "\033[K");
}

void ProgressBar::clear() {
  if (drawn_) write_err("\r\033[K");
  drawn_ = false;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

}  // namespace epsfree::cli
