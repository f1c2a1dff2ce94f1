#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace epsfree::cli {
namespace {

// A signal handler can reach nothing but a global. Lock-free, and so safe in it; `bench` reads it
// from several threads.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> first_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void ignore_interrupts() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
}

bool interrupted() { return first_signal.load() != 0; }
bool terminated() { return first_signal.load() == SIGTERM; }

}  // namespace epsfree::cli
