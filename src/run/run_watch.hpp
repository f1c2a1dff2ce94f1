// Watching a run for others: status.json, the time limit, and commits of the ledger while a network
// trains.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "epsfree/ledger.hpp"
#include "epsfree/observer.hpp"

namespace epsfree {

/// What status.json says; see docs/formats.md.
struct RunStatus {
  std::string state = "running";  ///< "running", "finished", "stopped", "interrupted" or "failed"
  /// "starting", "simulation", "training", "saving" or "checking"
  std::string phase = "starting";
  int round = 0;
  long done = 0, total = 0;  ///< simulations, of this round or of the whole budget
  long num_bad = 0;
  long step = 0, num_steps = 0;  ///< of training
  long planned = 0;              ///< simulations of the whole run, at most
  /// Rounds that are done: how far each moved the proposal; NaN where that is not known.
  std::vector<double> movements = {};
  std::string message = {};  ///< why it ended, if not well
};

/// Passes everything on to another observer.
class RunWatch final : public Observer {
 public:
  /// `runner` says what was replayed and how fast simulations come; all must outlive it. A time
  /// limit of 0 is none.
  /// `planned`: simulations of the whole run, at most.
  RunWatch(Observer* inner, Ledger& ledger, const RecordingRunner& runner, std::string status_path,
           double time_limit, long planned);

  Action on_simulation(const SimulationProgress& progress) override;
  Action on_training(const TrainingProgress& progress) override;
  Action on_round(const RoundSummary& round) override;
  Action poll() override { return next(inner_.poll()); }
  void log(LogLevel level, std::string_view message) override;

  /// Written at once, however short ago the last time was.
  void enter(const std::string& state, const std::string& phase, const std::string& message = "");
  bool time_is_up() const { return time_is_up_; }
  bool is_finished() const { return status_.state == "finished"; }

 private:
  using Clock = std::chrono::steady_clock;
  Action next(Action inner);
  void write_if_due();
  void write();

  Observer silent_;
  Observer& inner_;
  Ledger& ledger_;
  const RecordingRunner& runner_;
  std::string path_;
  double time_limit_;
  bool time_is_up_ = false;
  RunStatus status_;
  std::string written_phase_;
  std::string started_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_write_ = {};
};

}  // namespace epsfree
