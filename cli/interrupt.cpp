#include "cli/interrupt.hpp"

#include <csignal>

namespace epsfree::cli {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t interrupt_flag = 0;

extern "C" void on_signal(int) { interrupt_flag = 1; }

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_flag != 0; }

}  // namespace epsfree::cli
