#include "python/src/observer.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "epsfree/summary.hpp"

namespace epsfree::python {

namespace nb = nanobind;
using namespace nb::literals;

PythonObserver::PythonObserver(nb::object callback, std::function<bool()> fault)
    : callback_(std::move(callback)), fault_(std::move(fault)) {}

Action PythonObserver::tell(const std::function<void()>& call) {
  const nb::gil_scoped_acquire acquire;
  if (raised_) return Action::stop;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!callback_.is_none()) call();
  } catch (nb::python_error& error) {
    raised_.emplace(std::move(error));
    return Action::stop;
  }
  return fault_ && fault_() ? Action::stop : Action::proceed;
}

Action PythonObserver::on_simulation(const SimulationProgress& progress) {
  return tell([&] {
    callback_("simulation", "phase"_a = progress.phase, "round"_a = progress.round,
              "num_rounds"_a = progress.num_rounds, "done"_a = progress.done,
              "total"_a = progress.total, "num_bad"_a = progress.num_bad);
  });
}

Action PythonObserver::on_training(const TrainingProgress& progress) {
  return tell([&] {
    callback_("training", "phase"_a = progress.phase, "round"_a = progress.round,
              "num_rounds"_a = progress.num_rounds, "done"_a = progress.step,
              "total"_a = progress.num_steps, "loss"_a = progress.loss);
  });
}

Action PythonObserver::on_round(const RoundSummary& round) {
  return tell([&] {
    callback_("round", "phase"_a = round.phase, "round"_a = round.round,
              "simulations"_a = round.simulations.total(),
              "simulations_ok"_a = round.simulations[SimStatus::ok]);
  });
}

void PythonObserver::log(LogLevel level, std::string_view message) {
  tell([&] {
    callback_("log", "level"_a = level == LogLevel::warning ? "warning" : "info",
              "message"_a = message);
  });
}

void PythonObserver::on_repetition(long done, long total) {
  tell([&] { callback_("repetition", "done"_a = done, "total"_a = total); });
}

bool PythonObserver::must_stop() {
  return tell([] {}) == Action::stop;
}

void PythonObserver::rethrow() {
  if (raised_) throw nb::python_error(std::move(*raised_));
}

}  // namespace epsfree::python
