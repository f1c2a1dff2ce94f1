// Progress on standard error.
#pragma once

#include <string>

#include "cli/progress_bar.hpp"
#include "epsfree/observer.hpp"
#include "epsfree/summary.hpp"

namespace epsfree::cli {

enum class ProgressStyle {
  none,   ///< nothing at all
  lines,  ///< one line per round
  bar     ///< a bar for what is under way, too; for terminals
};

/// Shows how far a run has come and turns Ctrl-C into a stop. Simulations, then training steps of
/// each round fill a bar; a round that is done leaves one line standing.
class Progress final : public Observer {
 public:
  explicit Progress(ProgressStyle style) : style_(style) {}

  Action on_simulation(const SimulationProgress& progress) override;
  Action on_training(const TrainingProgress& progress) override;
  Action on_round(const RoundSummary& round) override;
  Action poll() override;
  void log(LogLevel level, std::string_view message) override;

 private:
  void draw(const std::string& label, const std::string& what, long done, long total,
            const std::string& note);

  ProgressStyle style_;
  int num_rounds_ = 0;
  SimulationCounts total_;
  ProgressBar bar_;
};

}  // namespace epsfree::cli
