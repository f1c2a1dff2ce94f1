#include "cli/pace.hpp"

#include "cli/tables.hpp"
#include "io/number_text.hpp"

namespace epsfree::cli {
namespace {

constexpr auto kLookBack = std::chrono::seconds(30);
constexpr auto kStep = std::chrono::milliseconds(250);
// A speed measured over a shorter time is mostly noise.
constexpr double kLeastSeconds = 0.3;

}  // namespace

void Pace::see(long done, Clock::time_point now) {
  if (!moments_.empty() && done < last_.done) moments_.clear();
  if (moments_.empty() || now - moments_.back().when >= kStep) moments_.push_back({now, done});
  while (moments_.size() > 2 && now - moments_[1].when >= kLookBack) moments_.pop_front();
  last_ = {now, done};
}

double Pace::rate() const {
  if (moments_.empty()) return 0;
  const double seconds = std::chrono::duration<double>(last_.when - moments_.front().when).count();
  const auto made = static_cast<double>(last_.done - moments_.front().done);
  return seconds < kLeastSeconds || made < 1 ? 0 : made / seconds;
}

std::string Pace::text(long total) const {
  const double speed = rate();
  if (!(speed > 0)) return "";
  std::string text = speed >= 1 ? formatted(speed < 100 ? "%.2g/s" : "%.0f/s", speed)
                                : duration_text(1 / speed) + " each";
  if (last_.done < total) {
    text += "  " + duration_text(static_cast<double>(total - last_.done) / speed) + " left";
  }
  return text;
}

}  // namespace epsfree::cli
