// Ending an inference from outside.
#pragma once

#include <functional>
#include <utility>

#include "epsfree/observer.hpp"

namespace epsfree {

/// Asks whether to stop, and says nothing else. Each inference has its own.
class StopObserver final : public Observer {
 public:
  explicit StopObserver(std::function<bool()> stop) : stop_(std::move(stop)) {}
  Action on_simulation(const SimulationProgress&) override { return next(); }
  Action on_training(const TrainingProgress&) override { return next(); }
  Action on_round(const RoundSummary&) override { return next(); }

 private:
  Action next() { return stop_() ? Action::stop : Action::proceed; }
  std::function<bool()> stop_;
};

}  // namespace epsfree
