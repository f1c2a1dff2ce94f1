#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace epsfree::cli {
namespace {

// A signal handler can reach nothing but a global. Lock-free, and so safe in it; `bench` reads it
// from several threads.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> interrupt_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) { interrupt_flag.store(true); }

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_flag.load(); }

}  // namespace epsfree::cli
