// Calls of the library that may take long: without the GIL, and ended by Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <type_traits>
#include <utility>

#include "base/interruption.hpp"
#include "epsfree/error.hpp"

namespace epsfree::python {

/// Runs `work()` without the GIL. Python's signals are looked at meanwhile, wherever the library
/// calls `check_interruption`; what their handlers raise (KeyboardInterrupt) ends the work and is
/// raised. Every function of the module that can take more than a moment goes through this.
template <class Work>
auto interruptible(const Work& work) {
  std::optional<nanobind::python_error> raised;
  const auto must_stop = [&raised] {
    const nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0) return false;
    raised.emplace();
    return true;
  };
  const auto run = [&] {
    const nanobind::gil_scoped_release release;
    const InterruptionScope scope(must_stop);
    return work();
  };
  const auto raise = [&raised] {
    if (raised) throw nanobind::python_error(std::move(*raised));
  };
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      run();
      raise();
    } else {
      auto result = run();
      raise();
      return result;
    }
  } catch (const Error&) {
    raise();
    throw;
  }
}

}  // namespace epsfree::python
