// What the user's Python code raised where the library called it, which ends the run.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <optional>

namespace epsfree::python {

/// Holds the first exception. All but `happened` need the GIL.
class Fault {
 public:
  ~Fault() {
    const nanobind::gil_scoped_acquire acquire;
    error_.reset();
  }
  bool happened() const { return happened_.load(); }
  void keep(nanobind::python_error error) {
    if (!error_ && !happened()) error_.emplace(std::move(error));
    happened_.store(true);
  }
  void rethrow() {
    if (!error_) return;
    nanobind::python_error error(std::move(*error_));
    error_.reset();
    throw error;
  }

 private:
  std::atomic<bool> happened_{false};
  std::optional<nanobind::python_error> error_;
};

}  // namespace epsfree::python
