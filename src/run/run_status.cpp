#include "run/run_status.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <limits>

#include "base/file.hpp"
#include "base/words.hpp"
#include "io/json_reader.hpp"
#include "io/number_text.hpp"
#include "run/run_directory.hpp"

namespace epsfree {
namespace {

constexpr long kMostInStatus = std::numeric_limits<long>::max();

bool is_this_host(const std::string& name) {
  std::array<char, 256> own = {};
  return ::gethostname(own.data(), own.size() - 1) == 0 && name == own.data();
}

bool is_gone(long pid) { return ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; }

std::string bar(long done, long total) {
  constexpr long kWidth = 30;
  const long filled = total > 0 ? std::min(kWidth, kWidth * done / total) : 0;
  return "[" + std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kWidth - filled), '.') + "]";
}

std::string movement_text(const std::vector<double>& movements) {
  Listing list;
  const std::size_t first = movements.size() > 6 ? movements.size() - 6 : 0;
  for (std::size_t i = first; i < movements.size(); ++i) {
    if (!std::isnan(movements[i])) list.add(short_number(movements[i]));
  }
  return list.text();
}

}  // namespace

RunProgress read_progress(const std::string& run_directory) {
  const std::string path = run_file(run_directory, kStatusFile);
  return parse_progress(read_file(path), path);
}

RunProgress parse_progress(const std::string& text, const std::string& path) {
  const nlohmann::json json = JsonReader::parse(text, path, "epsfree-status", 1);
  const JsonReader root(json, path);
  RunProgress progress;
  progress.state = root.at("state").text();
  progress.phase = root.at("phase").text();
  progress.round = static_cast<int>(root.at("round").integer(0, 1'000'000'000));
  const JsonReader simulations = root.at("simulations");
  progress.done = simulations.at("done").integer(0, kMostInStatus);
  progress.total = simulations.at("total").integer(0, kMostInStatus);
  if (simulations.has("planned"))
    progress.planned = simulations.at("planned").integer(0, kMostInStatus);
  progress.not_ok = simulations.at("not_ok").integer(0, kMostInStatus);
  progress.replayed = simulations.at("replayed").integer(0, kMostInStatus);
  progress.simulated = simulations.at("simulated").integer(0, kMostInStatus);
  progress.simulations_per_second = root.at("simulations_per_second").number();
  progress.step = root.at("training").at("step").integer(0, kMostInStatus);
  progress.num_steps = root.at("training").at("num_steps").integer(0, kMostInStatus);
  if (root.has("movements")) {
    const JsonReader movements = root.at("movements");
    for (std::size_t i = 0; i < movements.size(); ++i) {
      progress.movements.push_back(movements.at(i).is_null()
                                       ? std::numeric_limits<double>::quiet_NaN()
                                       : movements.at(i).number());
    }
  }
  if (root.has("seconds")) progress.seconds = root.at("seconds").number();
  if (root.has("seconds_left") && !root.at("seconds_left").is_null()) {
    progress.seconds_left = root.at("seconds_left").number();
  }
  if (root.has("message")) progress.message = root.at("message").text();
  progress.started = root.at("started").text();
  progress.updated = root.at("updated").text();
  progress.died = progress.state == "running" && is_this_host(root.at("host").text()) &&
                  is_gone(root.at("pid").integer(1, kMostInStatus));
  return progress;
}

std::string progress_text(const RunProgress& of) {
  std::string text = of.died ? "died while it was running (its process is gone)" : of.state;
  if (of.at_work()) text += ", " + of.phase;
  if (of.round > 0 && of.phase != "checking") text += ", round " + std::to_string(of.round);
  text += "\n";
  const long made = of.replayed + of.simulated;
  if (of.at_work() && of.phase == "checking" && of.total > 0) {
    text += "checking     " + bar(of.done, of.total) + " " + std::to_string(of.done) + " of " +
            std::to_string(of.total) + " simulations\n";
  }
  if (of.planned > 0) {
    text += "simulations  " + bar(made, of.planned) + " " + std::to_string(made) + " of at most " +
            std::to_string(of.planned) + "\n";
  }
  if (of.simulations_per_second > 0) {
    text += "speed        " + short_number(of.simulations_per_second) + " simulations a second\n";
  }
  if (of.not_ok > 0) text += "not ok       " + std::to_string(of.not_ok) + " of this round\n";
  if (of.replayed > 0) {
    text += "replayed     " + std::to_string(of.replayed) + " from an earlier run\n";
  }
  if (of.at_work() && of.phase == "training" && of.num_steps > 0) {
    text += "training     " + bar(of.step, of.num_steps) + " step " + std::to_string(of.step) +
            " of " + std::to_string(of.num_steps) + "\n";
  }
  const std::string moved = movement_text(of.movements);
  if (!moved.empty()) text += "moved by     " + moved + " (KL of each proposal to the next)\n";
  text += "time         " + duration_text(of.seconds) + " so far";
  if (of.at_work() && of.seconds_left) {
    text += ", about " + duration_text(*of.seconds_left) + " left at most";
  }
  text += "\n";
  if (!of.message.empty()) text += of.message + "\n";
  return text;
}

}  // namespace epsfree
