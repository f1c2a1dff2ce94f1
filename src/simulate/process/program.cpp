#include "simulate/process/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>

#include "base/number_text.hpp"
#include "base/order_statistics.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

constexpr std::size_t kEnoughDurations = 20;
constexpr std::size_t kKeptDurations = 500;
constexpr double kLeastLimit = 0.1;

bool is_program(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string absolute_path(const std::string& path, const std::string& directory) {
  const std::filesystem::path start =
      directory.empty() ? std::filesystem::current_path() : std::filesystem::absolute(directory);
  return (start / path).lexically_normal().string();
}

std::optional<std::string> find_on_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::istringstream paths(variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin");
  for (std::string directory; std::getline(paths, directory, ':');) {
    std::string path = absolute_path(name, directory);
    if (is_program(path)) return path;
  }
  return std::nullopt;
}

std::string find_program(const ProcessOptions& options) {
  const std::string& name = options.argv.front();
  if (name.find('/') != std::string::npos) {
    const std::string path = absolute_path(name, options.directory);
    if (is_program(path)) return path;
    std::error_code ignored;
    throw Error(ErrorKind::input, "the simulator's program '" + path +
                                      (std::filesystem::exists(path, ignored)
                                           ? "' is not an executable file (chmod +x makes it one)"
                                           : "' does not exist"));
  }
  if (const auto path = find_on_path(name)) return *path;
  std::error_code ignored;
  const bool beside = std::filesystem::exists(absolute_path(name, options.directory), ignored);
  throw Error(ErrorKind::input, "the simulator's program '" + name + "' is not on the PATH" +
                                    (beside ? "; for the file here write './" + name + "'" : ""));
}

std::vector<std::string> parameter_names(const ProcessOptions& options) {
  if (!options.names.empty()) return options.names;
  std::vector<std::string> names;
  for (Index i = 1; i <= options.num_parameters; ++i) names.push_back("theta" + std::to_string(i));
  return names;
}

TimeLimit::TimeLimit(const ProcessOptions& options)
    : absolute_(options.time_limit_seconds > 0 ? options.time_limit_seconds
                                               : std::numeric_limits<double>::infinity()),
      factor_(options.time_limit_factor),
      limit_(absolute_) {}

void TimeLimit::add(double seconds) {
  const std::lock_guard lock(mutex_);
  if (durations_.size() < kKeptDurations) {
    durations_.push_back(seconds);
  } else {
    durations_[count_ % kKeptDurations] = seconds;
  }
  ++count_;
  // Often at first, later seldom: the median of many changes little.
  if (count_ > kEnoughDurations && count_ % (kKeptDurations / 10) != 0) return;
  const double median = upper_median(durations_);
  median_.store(median, std::memory_order_relaxed);
  if (factor_ > 0 && count_ >= kEnoughDurations) {
    limit_.store(std::min(absolute_, std::max(factor_ * median, kLeastLimit)),
                 std::memory_order_relaxed);
  }
}

bool ran_out_of_memory(std::string_view said) {
  constexpr std::string_view kWords[] = {"MemoryError",
                                         "bad_alloc",
                                         "annot allocate",
                                         "ut of memory",
                                         "Allocation would exceed",
                                         "emory exhausted",
                                         "failed to map segment",
                                         "Unable to allocate"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return said.find(word) != std::string_view::npos;
  });
}

std::string memory_note(double memory_limit, std::string_view said) {
  if (memory_limit <= 0) return "";
  const std::string limit = "its memory limit of " + number_text(memory_limit) + " MB";
  return ran_out_of_memory(said) ? " at " + limit : ", perhaps at " + limit;
}

std::string quoted_error(const std::string& standard_error) {
  return standard_error.empty() ? "" : "; its standard error ends: " + standard_error;
}

}  // namespace epsfree
