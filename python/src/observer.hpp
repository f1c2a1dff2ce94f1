// Watching a run from Python, and stopping it.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>

#include "epsfree/observer.hpp"

namespace epsfree::python {

/// Tells a Python callable of a run's progress, and looks at each occasion whether Ctrl-C was
/// pressed. Whatever Python raises then stops the run, and `rethrow` raises it once the library has
/// come to its end. To be made and destroyed with the GIL held; called without it.
class PythonObserver final : public Observer {
 public:
  /// `callback(event, **fields)` or None. `fault` says whether something else calls for a stop.
  PythonObserver(nanobind::object callback, std::function<bool()> fault);

  Action on_simulation(const SimulationProgress& progress) override;
  Action on_training(const TrainingProgress& progress) override;
  Action on_round(const RoundSummary& round) override;
  Action poll() override { return must_stop() ? Action::stop : Action::proceed; }
  void log(LogLevel level, std::string_view message) override;

  /// A repetition of a calibration has ended, on any thread.
  void on_repetition(long done, long total);
  /// From any thread.
  bool must_stop();

  /// With the GIL held: raises what stopped the run, if that was Python.
  void rethrow();

 private:
  Action tell(const std::function<void()>& call);

  nanobind::object callback_;
  std::function<bool()> fault_;
  std::optional<nanobind::python_error> raised_;
};

}  // namespace epsfree::python
