// Stopping a computation that takes long and has no observer.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace epsfree {

/// While it lives, loops that this thread runs end with ErrorKind::interrupted soon after
/// `must_stop` has answered true. That is called by this thread alone, a few times a second.
///
/// The scope in force is the one thing that a thread knows without being told: every function that
/// may take long would have to pass it on otherwise. It never changes a result.
class InterruptionScope {
 public:
  explicit InterruptionScope(std::function<bool()> must_stop);
  ~InterruptionScope();
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;

  /// The scope of this thread, or null.
  static InterruptionScope* current();
  /// Asks, if the last time was long enough ago; true ever after once it was told to stop.
  bool poll();
  bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }

  /// Lets another thread, which works for the scope's own, see that it is stopped.
  class Guest {
   public:
    explicit Guest(InterruptionScope* scope);
    ~Guest();
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;

   private:
    InterruptionScope* before_;
    bool before_is_guest_;
  };

 private:
  std::function<bool()> must_stop_;
  std::atomic<bool> stopped_{false};
  std::chrono::steady_clock::time_point last_;
  InterruptionScope* before_;
  bool before_is_guest_;
};

/// Throws ErrorKind::interrupted where the scope of this thread was told to stop. A few nanoseconds
/// where there is none, the time of reading a clock where there is.
void check_interruption();

}  // namespace epsfree
