// Watching a check from Python.
#pragma once

#include "python/src/observer.hpp"
#include "run/run_check.hpp"

namespace epsfree::python {

/// Tells the observer's callable of repetitions too; its threads ask whether to stop.
class PythonCheckListener final : public CheckListener {
 public:
  explicit PythonCheckListener(PythonObserver& observer) : observer_(observer) {}
  Observer* observer() override { return &observer_; }
  void on_repetition(long done, long total, const CalibrationRecord&) override {
    observer_.on_repetition(done, total);
  }
  bool stop() override { return observer_.must_stop(); }

 private:
  PythonObserver& observer_;
};

}  // namespace epsfree::python
