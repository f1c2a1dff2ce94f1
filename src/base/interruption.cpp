#include "base/interruption.hpp"

#include <utility>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

constexpr std::chrono::milliseconds kInterval{20};

struct Here {
  InterruptionScope* scope = nullptr;
  bool is_guest = false;
};

Here& here() {
  thread_local Here value;
  return value;
}

}  // namespace

InterruptionScope::InterruptionScope(std::function<bool()> must_stop)
    : must_stop_(std::move(must_stop)),
      last_(std::chrono::steady_clock::now()),
      before_(here().scope),
      before_is_guest_(here().is_guest) {
  here() = {this, false};
}

InterruptionScope::~InterruptionScope() { here() = {before_, before_is_guest_}; }

InterruptionScope* InterruptionScope::current() { return here().scope; }

bool InterruptionScope::poll() {
  if (is_stopped()) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kInterval) return false;
  last_ = now;
  if (must_stop_()) stopped_.store(true, std::memory_order_relaxed);
  return is_stopped();
}

InterruptionScope::Guest::Guest(InterruptionScope* scope)
    : before_(here().scope), before_is_guest_(here().is_guest) {
  here() = {scope, true};
}

InterruptionScope::Guest::~Guest() { here() = {before_, before_is_guest_}; }

void check_interruption() {
  const Here& now = here();
  if (now.scope == nullptr) return;
  if (now.is_guest ? now.scope->is_stopped() : now.scope->poll()) {
    throw Error(ErrorKind::interrupted, "interrupted");
  }
}

}  // namespace epsfree
