#include "cli/progress.hpp"

#include "cli/interrupt.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/summary.hpp"

namespace epsfree::cli {
namespace {

Action next() { return interrupted() ? Action::stop : Action::proceed; }

std::string label_of(const std::string& phase, int round, int num_rounds) {
  if (num_rounds == 0) return "";  // the default method: one bar for all its rounds
  if (round == 0) return phase;    // the pilot run
  return phase + " " + std::to_string(round) + "/" + std::to_string(num_rounds);
}

}  // namespace

Action Progress::on_simulation(const SimulationProgress& progress) {
  num_rounds_ = progress.num_rounds;
  draw(label_of(progress.phase, progress.round, progress.num_rounds), "simulating", progress.done,
       progress.total,
       progress.num_bad > 0 ? std::to_string(progress.num_bad) + " not ok" : std::string());
  return next();
}

Action Progress::on_training(const TrainingProgress& progress) {
  num_rounds_ = progress.num_rounds;
  draw(label_of(progress.phase, progress.round, progress.num_rounds), "training", progress.step,
       progress.num_steps, "loss " + short_number(progress.loss));
  return next();
}

Action Progress::on_round(const RoundSummary& round) {
  if (style_ == ProgressStyle::none) return next();
  const bool one_of_many = num_rounds_ == 0;  // the default method: one line for all its rounds
  total_.add(round.simulations.by_status);
  if (one_of_many && round.phase != "final") return next();
  bar_.clear();
  if (one_of_many) {
    const long not_ok = total_.total() - total_[SimStatus::ok];
    write_err(std::to_string(total_.total()) + " simulations" +
              (not_ok > 0 ? " (" + std::to_string(not_ok) + " not ok)" : "") + " in " +
              std::to_string(round.round) + " rounds\n");
    return next();
  }
  const long bad = round.simulations.total() - round.simulations[SimStatus::ok];
  std::string line = padded(label_of(round.phase, round.round, num_rounds_), 9) + "  " +
                     std::to_string(round.simulations.total()) + " simulations";
  if (bad > 0) line += " (" + std::to_string(bad) + " not ok)";
  line += "  " + std::to_string(round.training.num_steps) + " steps  loss " +
          short_number(round.training.final_loss) +
          formatted("  %.1f s\n", round.simulation_seconds + round.training.seconds);
  write_err(line);
  return next();
}

void Progress::log(LogLevel level, std::string_view message) {
  if (style_ == ProgressStyle::none) return;
  bar_.clear();
  if (level == LogLevel::warning) {
    print_warning(message);
  } else {
    write_err("epsfree: " + std::string(message) + "\n");
  }
}

void Progress::draw(const std::string& label, const std::string& what, long done, long total,
                    const std::string& note) {
  if (style_ != ProgressStyle::bar) return;
  bar_.draw(padded(label, 9) + "  " + padded(what, 10), done, total, note);
}

}  // namespace epsfree::cli
