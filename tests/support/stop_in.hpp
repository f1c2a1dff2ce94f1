// An observer that says stop.
#pragma once

#include "epsfree/observer.hpp"

namespace epsfree {

enum class Phase { simulation, training, round_end, fit };

class StopIn final : public Observer {
 public:
  explicit StopIn(Phase phase) : phase_(phase) {}
  Action on_simulation(const SimulationProgress&) override { return answer(Phase::simulation); }
  Action on_training(const TrainingProgress&) override { return answer(Phase::training); }
  Action on_round(const RoundSummary&) override { return answer(Phase::round_end); }
  Action poll() override { return answer(Phase::fit); }

 private:
  Action answer(Phase phase) const { return phase == phase_ ? Action::stop : Action::proceed; }
  Phase phase_;
};

}  // namespace epsfree
