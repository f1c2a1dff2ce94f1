#include "problem/simulator_check.hpp"

#include <algorithm>
#include <limits>

#include "base/require.hpp"
#include "base/stopwatch.hpp"
#include "epsfree/error.hpp"
#include "io/number_text.hpp"

namespace epsfree {
namespace {

constexpr Index kAlwaysMade = 3;
constexpr Index kRepeats = 3;

class Checker {
 public:
  Checker(const ProblemSpec& spec, const SimulatorCheckOptions& options, Observer& observer)
      : spec_(spec), options_(options), observer_(observer) {
    check_.simulator = spec.model;
    check_.num_parameters = simulator().num_parameters();
    check_.num_statistics = simulator().num_statistics();
    check_.num_threads =
        ThreadRunner(options.num_threads > 0 ? options.num_threads : spec.run.threads)
            .num_threads();
    if (!may_run_side_by_side()) check_.num_threads = 1;
  }

  SimulatorCheck run() {
    draw_parameters();
    tried_ = simulate(thetas_, {}, 1, 1);
    count_outcomes(tried_, check_);
    add(judge_outcomes(tried_, [&](Index column) { return command_for(column); }));
    if (const auto first = tried_.first_ok()) {
      first_ok_ = *first;
      repeat_with_the_same_seed();
      repeat_with_other_seeds();
      run_side_by_side();
      if (auto finding = judge_statistics(tried_, spec_)) add(std::move(*finding));
      if (auto finding = judge_observation(tried_, spec_)) add(std::move(*finding));
      pass_nonsense();
      estimate_budget(tried_, spec_, check_);
      for (Finding& finding : judge_time(check_, spec_, may_run_side_by_side())) {
        add(std::move(finding));
      }
    }
    return std::move(check_);
  }

 private:
  const Simulator& simulator() const { return *spec_.problem.simulator; }
  bool may_run_side_by_side() const {
    if (spec_.simulator.kind != SimulatorKind::plugin) return true;
    const PluginOptions plugin = spec_.simulator.resolved_plugin();
    return plugin.thread_safe ? *plugin.thread_safe : plugin_info(plugin.path).thread_safe;
  }

  // Whether there is time for so many more.
  bool has_time_for(Index count) const {
    return watch_.seconds() + static_cast<double>(count) * check_.median_seconds <
           2 * options_.max_seconds;
  }

  void draw_parameters() {
    Stream stream(options_.seed, {.purpose = Purpose::simulator_check});
    thetas_ = spec_.problem.prior->sample(options_.num_simulations, stream);
  }

  // Seeds follow from `round` and the offsets. Those that are not reached in time are not there.
  TriedSimulations simulate(const Eigen::MatrixXd& thetas, const std::vector<Index>& offsets,
                            std::uint32_t round, int num_threads) {
    TriedSimulations tried;
    ThreadRunner runner({.num_threads = num_threads, .retries = 0, .chunk = 1, .give_up_after = 0});
    bool is_stopped = false;
    const auto progress = [&](long done, long bad) {
      is_stopped = observer_.on_simulation(
                       {.phase = "check", .done = done, .total = thetas.cols(), .num_bad = bad}) ==
                   Action::stop;
      const bool is_late = done >= kAlwaysMade && watch_.seconds() > options_.max_seconds;
      return is_stopped || is_late ? Action::stop : Action::proceed;
    };
    runner.run({.simulator = simulator(),
                .thetas = thetas,
                .seed = options_.seed,
                .first = {.purpose = Purpose::simulator_check, .round = round},
                .offsets = offsets,
                .progress = progress,
                .sink = &tried});
    if (is_stopped) throw Error(ErrorKind::interrupted, "interrupted while simulating");
    return tried;
  }

  void add(Finding finding) { check_.findings.push_back(std::move(finding)); }
  void add(std::string name, SimulatorVerdict verdict, std::string text, std::string advice = {}) {
    add({std::move(name), verdict, std::move(text), std::move(advice)});
  }

  std::string command_for(Index column) const {
    const Key key{.purpose = Purpose::simulator_check,
                  .round = 1,
                  .index = static_cast<std::uint64_t>(column)};
    return simulate_command(spec_.source, options_.assignments, thetas_.col(column),
                            simulation_seed(Stream(options_.seed, key)));
  }

  void repeat_with_the_same_seed() {
    std::vector<Index> columns;
    const auto most = static_cast<std::size_t>(has_time_for(kRepeats) ? kRepeats : 1);
    for (const SimulationRecord& record : tried_.records) {
      if (record.status == SimStatus::ok && columns.size() < most) columns.push_back(record.column);
    }
    const TriedSimulations again = simulate(thetas_(Eigen::all, columns), columns, 1, 1);
    for (std::size_t i = 0; i < again.size(); ++i) {
      const Index column = columns[static_cast<std::size_t>(again.records[i].column)];
      if (const std::string other = difference(column, again, i); !other.empty()) {
        return add("same seed", SimulatorVerdict::failure,
                   "the same parameters and the same seed gave another outcome: " + other,
                   "the outcome must depend on parameters and seed alone: seed every random number "
                   "generator with the seed that is passed, and leave out what comes from the "
                   "clock, from files and from threads");
      }
    }
    add("same seed", SimulatorVerdict::ok,
        "gives the same outcome, bit for bit (" +
            counted(static_cast<long>(again.size()), "simulation") + " repeated)");
  }

  // Between the first try of a column and entry i of another, in words; empty: none. A time limit
  // depends on the clock.
  std::string difference(Index column, const TriedSimulations& other, std::size_t i) const {
    const auto first = static_cast<std::size_t>(column);
    const SimStatus a = tried_.records[first].status, b = other.records[i].status;
    if (a == SimStatus::timeout || b == SimStatus::timeout) return "";
    if (a != b) {
      return std::string(to_string(a)) + ", then " + to_string(b) +
             (other.records[i].message.empty() ? "" : " (" + other.records[i].message + ")");
    }
    if (a != SimStatus::ok) return "";
    for (Index d = 0; d < check_.num_statistics; ++d) {
      const double x = tried_.statistics[first][d], y = other.statistics[i][d];
      if (x != y) {
        return "statistic '" + spec_.statistic_names[static_cast<std::size_t>(d)] + "' was " +
               number_text(x) + ", then " + number_text(y);
      }
    }
    return "";
  }

  void repeat_with_other_seeds() {
    const Index count = has_time_for(kRepeats) ? kRepeats : 1;
    const TriedSimulations others =
        simulate(thetas_.col(static_cast<Index>(first_ok_)).replicate(1, count), {}, 2, 1);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (others.records[i].status != SimStatus::ok ||
          others.statistics[i] != tried_.statistics[first_ok_]) {
        return add("other seeds", SimulatorVerdict::ok,
                   "give other outcomes with the same parameters");
      }
    }
    add("other seeds", SimulatorVerdict::warning,
        "gave the same statistics with the same parameters: the seed is not used, or nothing is "
        "random",
        "seed the random number generator with the seed that is passed; if the simulator is "
        "deterministic, add the noise of the measurement to its statistics");
  }

  void run_side_by_side() {
    if (check_.num_threads < 2) return;
    const auto count = std::min<Index>(static_cast<Index>(tried_.size()), 2 * check_.num_threads);
    if (count < 2 || !has_time_for(count / check_.num_threads + 1)) return;
    const TriedSimulations together = simulate(thetas_.leftCols(count), {}, 1, check_.num_threads);
    for (std::size_t i = 0; i < together.size(); ++i) {
      const std::string other = difference(together.records[i].column, together, i);
      if (!other.empty()) {
        return add("side by side", SimulatorVerdict::failure,
                   "another outcome when several run at the same time: " + other,
                   spec_.simulator.kind == SimulatorKind::plugin
                       ? "the library keeps something between calls; say thread_safe = false in "
                         "[simulator], or take static and global variables out of it"
                       : "they share something: a file of a fixed name, a port, a cache");
      }
    }
    add("side by side", SimulatorVerdict::ok,
        std::to_string(together.size()) + " on " + std::to_string(check_.num_threads) +
            " threads gave the same as one by one");
  }

  // Parameters that are no numbers have no outcome. A library might crash on them, and this program
  // with it; a worker is never asked, since JSON has no word for them.
  void pass_nonsense() {
    if (spec_.simulator.kind != SimulatorKind::command) return;
    const double patience = std::max(2.0, 10 * check_.slowest_seconds);
    const Stopwatch watch;
    bool is_stopped = false;
    const Eigen::VectorXd nonsense =
        Eigen::VectorXd::Constant(check_.num_parameters, std::numeric_limits<double>::quiet_NaN());
    const SingleSimulation one = simulate_once(spec_.problem, nonsense, 1, [&] {
      is_stopped = is_stopped || observer_.on_simulation({.phase = "check"}) == Action::stop;
      return is_stopped || watch.seconds() > patience ? Action::stop : Action::proceed;
    });
    if (is_stopped) throw Error(ErrorKind::interrupted, "interrupted while simulating");
    if (one.status == SimStatus::ok) {
      return add("failures", SimulatorVerdict::warning,
                 "parameters that are not numbers (nan) gave statistics all the same",
                 "a simulation that cannot be made must say so: end with an exit code other than "
                 "0, or give nan");
    }
    add("failures", SimulatorVerdict::ok,
        "are seen as such: parameters that are not numbers (nan) ended as " +
            std::string(to_string(one.status)) +
            (one.message.empty() ? "" : ", saying: " + one.message));
  }

  const ProblemSpec& spec_;
  const SimulatorCheckOptions& options_;
  Observer& observer_;
  const Stopwatch watch_;
  SimulatorCheck check_;
  Eigen::MatrixXd thetas_;
  TriedSimulations tried_;
  std::size_t first_ok_ = 0;
};

}  // namespace

void SimulatorCheckOptions::validate() const {
  require_between(1, 100000, "num_simulations", num_simulations);
  require(max_seconds > 0, "max_seconds", max_seconds, "above 0");
}

SimulatorCheck check_simulator(const ProblemSpec& spec, const SimulatorCheckOptions& options,
                               Observer* observer) {
  options.validate();
  Observer silent;
  return Checker(spec, options, observer != nullptr ? *observer : silent).run();
}

}  // namespace epsfree
