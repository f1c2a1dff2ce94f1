#include "problem/simulator_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.hpp"
#include "base/stopwatch.hpp"
#include "epsfree/error.hpp"
#include "io/number_text.hpp"

namespace epsfree {
namespace {

constexpr Index kAlwaysMade = 3;
constexpr Index kRepeats = 3;
// Below this a process that starts anew for each simulation is mostly starting.
constexpr double kShortCommand = 0.05;
constexpr double kLongRun = 3600;

// What ended, in the order of the columns.
struct Tried final : SimulationSink {
  std::vector<SimulationRecord> records;
  std::vector<Eigen::VectorXd> statistics;
  void on_end(std::span<const SimulationRecord> ended,
              const Eigen::Ref<const Eigen::MatrixXd>& x) override {
    for (std::size_t i = 0; i < ended.size(); ++i) {
      const auto at = std::find_if(records.begin(), records.end(), [&](const auto& record) {
        return record.column > ended[i].column;
      });
      statistics.insert(statistics.begin() + (at - records.begin()), x.col(static_cast<Index>(i)));
      records.insert(at, ended[i]);
    }
  }
  std::size_t size() const { return records.size(); }
};

double median_seconds_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string count_text(long count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

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
    look_at_outcomes();
    for (std::size_t i = 0; i < tried_.size() && first_ok_ < 0; ++i) {
      if (tried_.records[i].status == SimStatus::ok) first_ok_ = static_cast<Index>(i);
    }
    if (first_ok_ >= 0) {
      repeat_with_the_same_seed();
      repeat_with_other_seeds();
      run_side_by_side();
      look_at_statistics();
      look_at_the_observation();
      pass_nonsense();
      estimate_time();
    }
    return std::move(check_);
  }

 private:
  const Simulator& simulator() const { return *spec_.problem.simulator; }
  const std::string& statistic(Index i) const {
    return spec_.statistic_names[static_cast<std::size_t>(i)];
  }

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
  Tried simulate(const Eigen::MatrixXd& thetas, const std::vector<Index>& offsets,
                 std::uint32_t round, int num_threads) {
    Tried tried;
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

  void add(std::string name, SimulatorVerdict verdict, std::string text, std::string advice = {}) {
    check_.findings.push_back({std::move(name), verdict, std::move(text), std::move(advice)});
  }

  std::string command_for(Index column) const {
    const Key key{.purpose = Purpose::simulator_check,
                  .round = 1,
                  .index = static_cast<std::uint64_t>(column)};
    return simulate_command(spec_.source, options_.assignments, thetas_.col(column),
                            simulation_seed(Stream(options_.seed, key)));
  }

  void look_at_outcomes() {
    std::vector<double> seconds;
    const SimulationRecord* worst = nullptr;  // the first fault, or else the first invalid one
    for (const SimulationRecord& record : tried_.records) {
      ++check_.simulations.by_status[static_cast<std::size_t>(record.status)];
      seconds.push_back(record.seconds);
      if (record.status == SimStatus::ok) continue;
      if (worst == nullptr || (is_fault(record.status) && !is_fault(worst->status))) {
        worst = &record;
      }
    }
    check_.median_seconds = median_seconds_of(seconds);
    check_.slowest_seconds =
        seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end());
    const long total = check_.simulations.total();
    const long num_ok = check_.simulations[SimStatus::ok];
    std::string text = std::to_string(num_ok) + " of " + std::to_string(total) +
                       " simulations with parameters from the prior ended ok";
    if (worst == nullptr) return add("outcomes", SimulatorVerdict::ok, text);
    for (int s = 1; s < kNumSimStatuses; ++s) {
      const auto status = static_cast<SimStatus>(s);
      if (check_.simulations[status] == 0) continue;
      text += ", " + std::to_string(check_.simulations[status]) + " " + to_string(status);
    }
    text += ". The first that is " + std::string(to_string(worst->status)) +
            (worst->message.empty() ? " said nothing" : " says: " + worst->message);
    const bool is_faulty = is_fault(worst->status);
    const SimulatorVerdict verdict = num_ok == 0                       ? SimulatorVerdict::failure
                                     : is_faulty || 2 * num_ok < total ? SimulatorVerdict::warning
                                                                       : SimulatorVerdict::ok;
    const char* const advice =
        num_ok == 0 ? "see one alone:"
        : is_faulty ? "faults are tried again and then dropped, which is a bias; see one alone:"
                    : "that is part of the model, unless it should not be; see one alone:";
    add("outcomes", verdict, text, std::string(advice) + "\n" + command_for(worst->column));
  }

  void repeat_with_the_same_seed() {
    std::vector<Index> columns;
    const auto most = static_cast<std::size_t>(has_time_for(kRepeats) ? kRepeats : 1);
    for (const SimulationRecord& record : tried_.records) {
      if (record.status == SimStatus::ok && columns.size() < most) columns.push_back(record.column);
    }
    const Tried again = simulate(thetas_(Eigen::all, columns), columns, 1, 1);
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
            count_text(static_cast<long>(again.size()), "simulation") + " repeated)");
  }

  // Between the first try of a column and entry i of another, in words; empty: none. A time limit
  // depends on the clock.
  std::string difference(Index column, const Tried& other, std::size_t i) const {
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
        return "statistic '" + statistic(d) + "' was " + number_text(x) + ", then " +
               number_text(y);
      }
    }
    return "";
  }

  void repeat_with_other_seeds() {
    const Index count = has_time_for(kRepeats) ? kRepeats : 1;
    const Tried others = simulate(thetas_.col(first_ok_).replicate(1, count), {}, 2, 1);
    const auto first = static_cast<std::size_t>(first_ok_);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (others.records[i].status != SimStatus::ok ||
          others.statistics[i] != tried_.statistics[first]) {
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
    const Tried together = simulate(thetas_.leftCols(count), {}, 1, check_.num_threads);
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

  void look_at_statistics() {
    std::string constant, advice;
    long num_constant = 0;
    const auto first = static_cast<std::size_t>(first_ok_);
    for (Index d = 0; d < check_.num_statistics; ++d) {
      bool varies = false;
      for (std::size_t i = 0; i < tried_.size(); ++i) {
        if (tried_.records[i].status != SimStatus::ok) continue;
        if (tried_.statistics[i][d] != tried_.statistics[first][d]) varies = true;
      }
      if (varies) continue;
      ++num_constant;
      constant += (constant.empty() ? "'" : ", '") + statistic(d) + "' (" +
                  number_text(tried_.statistics[first][d]) + ")";
    }
    if (check_.simulations[SimStatus::ok] < 2) return;
    if (num_constant == 0) {
      return add("statistics", SimulatorVerdict::ok,
                 "are finite and vary with the parameters or the seed");
    }
    add("statistics", SimulatorVerdict::warning,
        std::string(num_constant == 1 ? "one is" : "some are") +
            " the same in all simulations: " + constant,
        "a constant says nothing about the parameters: leave it out");
  }

  // Units or an order that differ between simulator and data show here.
  void look_at_the_observation() {
    if (!spec_.observed_fault.empty()) {
      return add("observation", SimulatorVerdict::warning,
                 "cannot be read: " + spec_.observed_fault,
                 "a run needs an observation; `epsfree simulate` can make one to try");
    }
    const Eigen::VectorXd& observed = spec_.problem.observed;
    if (observed.size() == 0 || check_.simulations[SimStatus::ok] < 10) return;
    std::string far;
    for (Index d = 0; d < observed.size(); ++d) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (std::size_t i = 0; i < tried_.size(); ++i) {
        if (tried_.records[i].status != SimStatus::ok) continue;
        low = std::min(low, tried_.statistics[i][d]);
        high = std::max(high, tried_.statistics[i][d]);
      }
      const double margin = 3 * (high - low);
      if (observed[d] >= low - margin && observed[d] <= high + margin) continue;
      far += (far.empty() ? "'" : ", '") + statistic(d) + "' is " + number_text(observed[d]) +
             " and was simulated from " + number_text(low) + " to " + number_text(high);
    }
    if (far.empty()) {
      return add("observation", SimulatorVerdict::ok, "lies where simulations with the prior lie");
    }
    add("observation", SimulatorVerdict::warning, "lies far from all simulations: " + far,
        "look whether simulator and data have the same units and the statistics the same order, "
        "and whether the prior is wide enough");
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

  void estimate_time() {
    // The first includes what is done once.
    double sum = 0;
    const std::size_t skipped = tried_.size() > 1 ? 1 : 0;
    for (std::size_t i = skipped; i < tried_.size(); ++i) sum += tried_.records[i].seconds;
    const double mean =
        sum / static_cast<double>(std::max<std::size_t>(1, tried_.size() - skipped));
    check_.budget = spec_.options.num_simulations;
    check_.budget_seconds = mean * static_cast<double>(check_.budget) / check_.num_threads;
    std::string advice;
    const SimulatorKind kind = spec_.simulator.kind;
    if (kind == SimulatorKind::command && check_.median_seconds < kShortCommand &&
        check_.budget_seconds > 60) {
      advice = "most of that is starting the program: as a 'worker' it starts once per thread";
    }
    add("time", SimulatorVerdict::ok,
        "a call takes " + duration_text(check_.median_seconds) + " (median), " +
            duration_text(check_.slowest_seconds) + " at most",
        advice);
    advice.clear();
    if (check_.budget_seconds > kLongRun) {
      advice =
          "more threads, fewer simulations (method.num_simulations) or a cluster make it "
          "shorter";
    }
    if (!may_run_side_by_side()) {
      advice += std::string(advice.empty() ? "" : "; ") +
                "the library says nothing of several threads, and so is called from one at a time";
    }
    add("budget", SimulatorVerdict::ok,
        count_text(check_.budget, "simulation") + " will take about " +
            duration_text(check_.budget_seconds) + " on " +
            count_text(check_.num_threads, "thread"),
        advice);
    const ProcessOptions* process = spec_.simulator.process();
    if (process != nullptr && process->time_limit_seconds == 0 && process->time_limit_factor == 0) {
      add("time limit", SimulatorVerdict::ok,
          "there is none: a simulation that hangs would hang the run",
          "in [simulator], for example: time_limit_seconds = " +
              number_text(std::max(10.0, std::ceil(20 * check_.slowest_seconds))));
    }
  }

  const ProblemSpec& spec_;
  const SimulatorCheckOptions& options_;
  Observer& observer_;
  const Stopwatch watch_;
  SimulatorCheck check_;
  Eigen::MatrixXd thetas_;
  Tried tried_;
  Index first_ok_ = -1;
};

}  // namespace

const char* to_string(SimulatorVerdict verdict) {
  return verdict == SimulatorVerdict::ok        ? "ok"
         : verdict == SimulatorVerdict::warning ? "warning"
                                                : "failure";
}

void SimulatorCheckOptions::validate() const {
  require_between(1, 100000, "num_simulations", num_simulations);
  require(max_seconds > 0, "max_seconds", max_seconds, "above 0");
}

SimulatorVerdict SimulatorCheck::verdict() const {
  SimulatorVerdict worst = SimulatorVerdict::ok;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

SimulatorCheck check_simulator(const ProblemSpec& spec, const SimulatorCheckOptions& options,
                               Observer* observer) {
  options.validate();
  Observer silent;
  return Checker(spec, options, observer != nullptr ? *observer : silent).run();
}

}  // namespace epsfree
