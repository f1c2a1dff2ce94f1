#include "cli/progress.hpp"

#include "cli/interrupt.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/summary.hpp"

namespace epsfree::cli {
namespace {

Action next() { return interrupted() ? Action::stop : Action::proceed; }

/// Where the number of rounds is not known beforehand, and each is a step towards the same fit: the
/// default method, and the first rounds of a synthetic likelihood. One bar and one line for all.
bool is_one_of_many(const std::string& phase, int num_rounds) {
  return num_rounds == 0 && (phase == "round" || phase == "final");
}

std::string label_of(const std::string& phase, int round, int num_rounds) {
  if (is_one_of_many(phase, num_rounds)) return "";
  if (round == 0) return phase;  // the pilot run
  const std::string label = phase + " " + std::to_string(round);
  return num_rounds > 0 ? label + "/" + std::to_string(num_rounds) : label;
}

/// What a round came to: how near and how much for a classical method, the loss where a network was
/// trained.
std::string outcome_of(const RoundSummary& round) {
  std::string text;
  if (round.epsilon > 0) text += "  epsilon " + short_number(round.epsilon);
  if (round.acceptance_rate > 0)
    text += formatted("  %.3g%% accepted", 100 * round.acceptance_rate);
  if (round.effective_size > 0) text += "  effective size " + short_number(round.effective_size);
  if (round.training.num_steps > 0) {
    text += "  " + std::to_string(round.training.num_steps) + " steps  loss " +
            short_number(round.training.final_loss);
  }
  return text;
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

Action Progress::poll() { return next(); }

Action Progress::on_round(const RoundSummary& round) {
  if (style_ == ProgressStyle::none) return next();
  const bool one_of_many = is_one_of_many(round.phase, num_rounds_) && !(round.effective_size > 0);
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
  line += outcome_of(round) +
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
