#include "problem/run_file.hpp"

#include <algorithm>
#include <limits>

#include "io/document.hpp"
#include "io/number_text.hpp"

namespace epsfree {
namespace {

constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostInFile = std::numeric_limits<std::int32_t>::max();
const std::vector<Recording> kRecordings = {Recording::automatic, Recording::always,
                                            Recording::never};

}  // namespace

RunnerOptions RunOptions::runner() const {
  return {
      .num_threads = threads, .retries = retries, .chunk = chunk, .give_up_after = give_up_after};
}

RunOptions read_run(Section& section) {
  RunOptions options;
  section.expect_only(
      {"threads", "record", "retries", "chunk", "give_up_after", "time_limit", "report"});
  if (const auto value = section.integer("threads", 0, kMostThreads)) {
    options.threads = static_cast<int>(*value);
  }
  std::vector<std::string> names;
  for (const Recording recording : kRecordings) names.emplace_back(to_string(recording));
  if (const auto choice = section.choice("record", names)) options.record = kRecordings[*choice];
  if (const auto value = section.integer("retries", 0, 1000)) {
    options.retries = static_cast<int>(*value);
  }
  if (const auto value = section.integer("chunk", 0, kMostInFile)) options.chunk = *value;
  if (const auto value = section.integer("give_up_after", 0, kMostInFile)) {
    options.give_up_after = *value;
  }
  if (const auto value = section.number("time_limit")) {
    if (*value < 0) {
      section.fail("time_limit", "is " + toml_number(*value) + ", expected seconds, 0 or more");
    }
    options.time_limit = *value;
  }
  if (const auto value = section.flag("report")) options.report = *value;
  return options;
}

std::string run_toml(const RunOptions& options, bool comments) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"threads = " + std::to_string(options.threads),
       "for simulations; 0: as many as the machine has"},
      {"record = " + toml_quote(to_string(options.record)),
       "which simulations are kept for resuming: \"auto\", \"always\" or \"never\""},
      {"retries = " + std::to_string(options.retries),
       "how often a simulation that failed is tried again, with the same seed"},
      {"chunk = " + std::to_string(options.chunk),
       "simulations a thread takes at a time; 0: as many as suit the simulator"},
      {"give_up_after = " + std::to_string(options.give_up_after),
       "stop the run after this many simulations if all of them failed; 0: never"},
      {"time_limit = " + toml_number(options.time_limit),
       "seconds after which the run saves its state and ends with exit code 75; 0: none"},
      {std::string("report = ") + (options.report ? "true" : "false"),
       "check the answer at the end, with some more simulations, and write report.html"}};
  std::size_t width = 0;
  for (const auto& [assignment, help] : lines) width = std::max(width, assignment.size());
  std::string text = "[run]\n";
  for (const auto& [assignment, help] : lines) {
    text += assignment;
    if (comments) text += std::string(width - assignment.size(), ' ') + "  # " + help;
    text += "\n";
  }
  return text;
}

}  // namespace epsfree
