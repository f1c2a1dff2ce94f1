// Work of the library that Python watches.
#pragma once

#include <memory>

#include "epsfree/error.hpp"
#include "python/src/fault.hpp"
#include "python/src/observer.hpp"

namespace epsfree::python {

/// Runs `work(observer)` without the GIL. What Python raised meanwhile is what is raised, even if
/// the library had to call it an interruption.
template <class Work>
auto watched(const nanobind::object& callback, const std::shared_ptr<Fault>& fault,
             const Work& work) {
  PythonObserver observer(callback, [fault] { return fault->happened(); });
  const auto raise = [&] {
    observer.rethrow();
    fault->rethrow();
  };
  try {
    const auto result = [&] {
      const nanobind::gil_scoped_release release;
      return work(observer);
    }();
    raise();
    return result;
  } catch (const Error&) {
    raise();
    throw;
  }
}

}  // namespace epsfree::python
