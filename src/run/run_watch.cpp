#include "run/run_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "epsfree/summary.hpp"

namespace epsfree {
namespace {

constexpr auto kWriteInterval = std::chrono::milliseconds(250);
// A new phase is told sooner.
constexpr auto kPhaseInterval = std::chrono::milliseconds(50);

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> buffer = {};
  std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return buffer.data();
}

std::string host_name() {
  std::array<char, 256> buffer = {};
  return ::gethostname(buffer.data(), buffer.size() - 1) == 0 ? buffer.data() : "";
}

}  // namespace

RunWatch::RunWatch(Observer* inner, Ledger& ledger, const RecordingRunner& runner,
                   std::string status_path, double time_limit, long planned)
    : inner_(inner != nullptr ? *inner : silent_),
      ledger_(ledger),
      runner_(runner),
      path_(std::move(status_path)),
      time_limit_(time_limit),
      started_(now_text()) {
  status_.planned = planned;
  write();
}

Action RunWatch::on_simulation(const SimulationProgress& progress) {
  const bool checking = std::string_view(progress.phase) == "check";
  status_.phase = checking ? "checking" : "simulation";
  if (!checking) status_.round = progress.round;
  status_.done = progress.done;
  status_.total = progress.total;
  status_.num_bad = progress.num_bad;
  status_.step = status_.num_steps = 0;
  return next(inner_.on_simulation(progress));
}

Action RunWatch::on_training(const TrainingProgress& progress) {
  status_.phase = "training";
  status_.round = progress.round;
  status_.step = progress.step;
  status_.num_steps = progress.num_steps;
  ledger_.commit_if_due();
  return next(inner_.on_training(progress));
}

Action RunWatch::on_round(const RoundSummary& round) {
  status_.movements.push_back(round.proposal_change);
  return next(inner_.on_round(round));
}

void RunWatch::log(LogLevel level, std::string_view message) { inner_.log(level, message); }

Action RunWatch::next(Action inner) {
  write_if_due();
  if (time_limit_ > 0 &&
      std::chrono::duration<double>(Clock::now() - start_).count() >= time_limit_) {
    time_is_up_ = inner == Action::proceed;  // a user who stops it at the last moment is told so
    return Action::stop;
  }
  return inner;
}

void RunWatch::enter(const std::string& state, const std::string& phase,
                     const std::string& message) {
  status_.state = state;
  if (!phase.empty()) status_.phase = phase;
  status_.message = message;
  write();
}

void RunWatch::write_if_due() {
  const auto interval = status_.phase == written_phase_ ? kWriteInterval : kPhaseInterval;
  if (Clock::now() - last_write_ >= interval) write();
}

void RunWatch::write() {
  last_write_ = Clock::now();
  written_phase_ = status_.phase;
  const RecordingRunner::Counts& counts = runner_.counts();
  nlohmann::ordered_json json;
  json["format"] = "epsfree-status";
  json["version"] = 1;
  json["state"] = status_.state;
  json["phase"] = status_.phase;
  json["round"] = status_.round;
  json["simulations"] = {{"done", status_.done},
                         {"total", status_.total},
                         {"planned", status_.planned},
                         {"not_ok", status_.num_bad},
                         {"replayed", counts.num_replayed},
                         {"simulated", counts.num_simulated},
                         {"recorded", counts.num_recorded}};
  json["simulations_per_second"] =
      counts.seconds > 0 ? static_cast<double>(counts.num_simulated) / counts.seconds : 0.0;
  json["training"] = {{"step", status_.step}, {"num_steps", status_.num_steps}};
  json["movements"] = nlohmann::ordered_json::array();
  for (const double each : status_.movements) {
    json["movements"].push_back(std::isfinite(each) ? nlohmann::ordered_json(each)
                                                    : nlohmann::ordered_json());
  }
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  json["seconds"] = elapsed;
  const long made = counts.num_replayed + counts.num_simulated;
  // What is left goes as fast as what was done, training included.
  const bool known = status_.state == "running" && status_.phase != "checking" &&
                     counts.num_simulated > 0 && status_.planned > 0;
  json["seconds_left"] =
      known ? nlohmann::ordered_json(elapsed *
                                     static_cast<double>(std::max(0L, status_.planned - made)) /
                                     static_cast<double>(counts.num_simulated))
            : nlohmann::ordered_json();
  if (!status_.message.empty()) json["message"] = status_.message;
  json["pid"] = static_cast<long>(::getpid());
  json["host"] = host_name();
  json["started"] = started_;
  json["updated"] = now_text();
  try {
    // For onlookers: not worth a sync, nor the run.
    write_file_atomically(
        path_, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
        Durability::none);
  } catch (const Error&) {
  }
}

}  // namespace epsfree
