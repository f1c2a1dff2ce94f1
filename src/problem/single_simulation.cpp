#include "problem/single_simulation.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "io/number_text.hpp"

namespace epsfree {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(50);

// The one place where a single simulation's outcome is settled as a runner settles it.
void run(const Simulator& simulator, SingleSimulation& result, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  std::array streams = {Stream::beginning_with(result.seed)};
  std::array statuses = {SimStatus::ok};
  std::array<std::string, 1> messages;
  Eigen::MatrixXd x = Eigen::MatrixXd::Constant(simulator.num_statistics(), 1,
                                                std::numeric_limits<double>::quiet_NaN());
  const auto start = Clock::now();
  try {
    simulator.simulate_in({messages, stop}, result.theta, streams, x, statuses);
  } catch (const std::exception& error) {
    statuses[0] = SimStatus::failed;
    messages[0] = error.what();
  } catch (...) {
    statuses[0] = SimStatus::failed;
    messages[0] = "an exception that is not a std::exception";
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.statistics = x.col(0);
  result.status = statuses[0];
  result.message = messages[0];
  if (result.status == SimStatus::ok && !x.allFinite()) {
    result.status = SimStatus::invalid;
    for (Index i = 0; i < x.rows() && result.message.empty(); ++i) {
      if (!std::isfinite(x(i, 0))) {
        result.message = "statistic " + std::to_string(i + 1) + " is " + number_text(x(i, 0));
      }
    }
  }
}

}  // namespace

SingleSimulation simulate_once(const Problem& problem, const Eigen::VectorXd& theta,
                               std::uint64_t seed, const std::function<Action()>& keep_on) {
  SingleSimulation result{.theta = theta, .seed = seed};
  if (!keep_on) {
    run(*problem.simulator, result, {});
    return result;
  }
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::jthread thread([&](const std::stop_token& stop) {
    run(*problem.simulator, result, stop);
    const std::lock_guard lock(mutex);
    done = true;
    ended.notify_one();
  });
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, kPatience, [&] { return done; })) {
    if (keep_on() == Action::stop) thread.request_stop();
  }
  return result;
}

Eigen::VectorXd parse_theta(const std::string& text, const Problem& problem) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const auto value = parse_number(word);
    if (!value) {
      throw Error(ErrorKind::usage, "--theta: expected numbers separated by commas, got '" + text +
                                        "', where '" + word + "' is none");
    }
    values.push_back(*value);
    begin = end + 1;
  }
  if (static_cast<Index>(values.size()) != problem.prior->dim()) {
    const std::string names = joined(problem.names);
    throw Error(ErrorKind::usage, "--theta: got " + std::to_string(values.size()) +
                                      " numbers, expected " + std::to_string(problem.prior->dim()) +
                                      (names.empty() ? "" : " (" + names + ")"));
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
}

std::string theta_text(const Eigen::VectorXd& theta) { return joined(theta, ",", number_text); }

std::string simulate_command(const std::string& problem_file,
                             const std::vector<std::string>& assignments,
                             const Eigen::VectorXd& theta, std::uint64_t seed) {
  std::string command = "epsfree simulate " + shell_word(problem_file);
  for (const std::string& assignment : assignments) command += " --set " + shell_word(assignment);
  return command + " --theta=" + theta_text(theta) + " --seed=" + std::to_string(seed);
}

}  // namespace epsfree
