#include "problem/simulator_check.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/error_of.hpp"

namespace epsfree {
namespace {

using Function = std::function<Eigen::VectorXd(const Eigen::VectorXd&, Stream&)>;

// A problem with a uniform prior on [0, 1] and two statistics.
ProblemSpec spec_of(Function function) {
  ProblemSpec spec;
  spec.source = "p.toml";
  spec.model = "function";
  spec.statistic_names = {"first", "second"};
  spec.problem.prior = independent_prior({Marginal::uniform(0, 1)});
  spec.problem.simulator = function_simulator(1, 2, std::move(function));
  spec.problem.observed = Eigen::Vector2d(0.5, 0.5);
  spec.problem.names = {"theta1"};
  spec.options.num_simulations = 1000;
  return spec;
}

const Finding& finding(const SimulatorCheck& check, const std::string& name) {
  for (const Finding& each : check.findings) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << "no finding '" << name << "'";
  static const Finding none;
  return none;
}

Eigen::VectorXd good(const Eigen::VectorXd& theta, Stream& stream) {
  return Eigen::Vector2d(theta[0] + 0.1 * stream.normal(), stream.uniform());
}

SimulatorCheck check(Function function, SimulatorCheckOptions options = {.num_threads = 2}) {
  return check_simulator(spec_of(std::move(function)), options);
}

TEST(SimulatorCheck, FindsNothingWrongWithAGoodOne) {
  const SimulatorCheck result = check(good);
  EXPECT_EQ(result.verdict(), SimulatorVerdict::ok);
  for (const char* name : {"outcomes", "same seed", "other seeds", "side by side", "statistics",
                           "observation", "time", "budget"}) {
    EXPECT_EQ(finding(result, name).verdict, SimulatorVerdict::ok) << name;
  }
  EXPECT_EQ(result.simulations[SimStatus::ok], 20);
  EXPECT_EQ(result.budget, 1000);
  EXPECT_EQ(result.num_threads, 2);
  EXPECT_LE(result.median_seconds, result.slowest_seconds);
  const auto json = nlohmann::json::parse(check_json(result));
  EXPECT_EQ(json.at("verdict"), "ok");
  EXPECT_EQ(json.at("findings").size(), result.findings.size());
  EXPECT_EQ(json.at("simulations").at("ok"), 20);
}

TEST(SimulatorCheck, SeesASeedThatDoesNotRepeat) {
  std::atomic<int> calls = 0;
  const SimulatorCheck result = check([&](const Eigen::VectorXd& theta, Stream& stream) {
    Eigen::VectorXd x = good(theta, stream);
    x[1] += calls++;
    return x;
  });
  EXPECT_EQ(result.verdict(), SimulatorVerdict::failure);
  EXPECT_EQ(finding(result, "same seed").verdict, SimulatorVerdict::failure);
  EXPECT_NE(finding(result, "same seed").text.find("'second'"), std::string::npos);
}

TEST(SimulatorCheck, SeesASeedThatIsIgnored) {
  const SimulatorCheck result = check([](const Eigen::VectorXd& theta, Stream&) -> Eigen::VectorXd {
    return Eigen::Vector2d(theta[0], theta[0] * theta[0]);
  });
  EXPECT_EQ(result.verdict(), SimulatorVerdict::warning);
  EXPECT_EQ(finding(result, "other seeds").verdict, SimulatorVerdict::warning);
  EXPECT_EQ(finding(result, "same seed").verdict, SimulatorVerdict::ok);
}

TEST(SimulatorCheck, SeesAConstantStatistic) {
  const SimulatorCheck result = check([](const Eigen::VectorXd& theta, Stream& stream) {
    Eigen::VectorXd x = good(theta, stream);
    x[1] = 7;
    return x;
  });
  EXPECT_EQ(finding(result, "statistics").verdict, SimulatorVerdict::warning);
  EXPECT_NE(finding(result, "statistics").text.find("'second' (7)"), std::string::npos);
}

TEST(SimulatorCheck, SeesAnObservationInOtherUnits) {
  const SimulatorCheck result = check([](const Eigen::VectorXd& theta, Stream& stream) {
    Eigen::VectorXd x = good(theta, stream);
    x[1] += 1000;
    return x;
  });
  EXPECT_EQ(finding(result, "observation").verdict, SimulatorVerdict::warning);
  EXPECT_NE(finding(result, "observation").text.find("'second'"), std::string::npos);
  ProblemSpec without = spec_of(good);
  without.run.threads = 3;
  without.problem.observed.resize(0);
  EXPECT_EQ(check_simulator(without).verdict(), SimulatorVerdict::ok);
  EXPECT_EQ(check_simulator(without).num_threads, 3) << "those of [run]";
}

// What is shared shows only when two run at the same time.
TEST(SimulatorCheck, SeesWhatIsSharedBetweenThreads) {
  std::atomic<int> inside = 0;
  const SimulatorCheck result = check(
      [&](const Eigen::VectorXd& theta, Stream& stream) {
        Eigen::VectorXd x = good(theta, stream);
        ++inside;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (inside > 1) x[0] += 1;
        --inside;
        return x;
      },
      {.num_simulations = 8, .num_threads = 4});
  EXPECT_EQ(finding(result, "side by side").verdict, SimulatorVerdict::failure);
  EXPECT_EQ(finding(result, "same seed").verdict, SimulatorVerdict::ok);
}

TEST(SimulatorCheck, QuotesFaultsAndSaysHowToRepeatThem) {
  const SimulatorCheck some = check([](const Eigen::VectorXd& theta, Stream& stream) {
    if (theta[0] < 0.3) throw std::runtime_error("no \xff convergence");
    return good(theta, stream);
  });
  const Finding& outcomes = finding(some, "outcomes");
  EXPECT_EQ(outcomes.verdict, SimulatorVerdict::warning);
  EXPECT_NE(outcomes.text.find("says: no \xff convergence"), std::string::npos);
  EXPECT_NE(outcomes.advice.find("epsfree simulate p.toml --theta=0."), std::string::npos);
  EXPECT_EQ(finding(some, "same seed").verdict, SimulatorVerdict::ok);
  EXPECT_EQ(nlohmann::json::parse(check_json(some)).at("verdict"), "warning");

  const SimulatorCheck all = check(
      [](const Eigen::VectorXd&, Stream&) -> Eigen::VectorXd { throw std::runtime_error("no"); });
  EXPECT_EQ(all.verdict(), SimulatorVerdict::failure);
  EXPECT_EQ(all.simulations[SimStatus::failed], 20);
  EXPECT_EQ(all.findings.size(), 1u) << "how long it takes to fail is of no use";
}

TEST(SimulatorCheck, InvalidOnesArePartOfTheModelUnlessTheyAreMost) {
  const auto invalid_below = [](double limit) {
    return check([limit](const Eigen::VectorXd& theta, Stream& stream) {
      Eigen::VectorXd x = good(theta, stream);
      if (theta[0] < limit) x[0] = std::nan("");
      return x;
    });
  };
  EXPECT_EQ(finding(invalid_below(0.2), "outcomes").verdict, SimulatorVerdict::ok);
  EXPECT_EQ(finding(invalid_below(0.8), "outcomes").verdict, SimulatorVerdict::warning);
  EXPECT_EQ(finding(invalid_below(2), "outcomes").verdict, SimulatorVerdict::failure);
}

TEST(SimulatorCheck, EndsInTimeAndWhenToldTo) {
  const auto slow = [](const Eigen::VectorXd& theta, Stream& stream) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return good(theta, stream);
  };
  const SimulatorCheck result =
      check(slow, {.num_simulations = 1000, .max_seconds = 0.2, .num_threads = 1});
  EXPECT_GE(result.simulations.total(), 3);
  EXPECT_LT(result.simulations.total(), 100);
  EXPECT_GT(result.budget_seconds, 1000 * 0.02 * 0.9);
  struct Stop final : Observer {
    Action on_simulation(const SimulationProgress&) override { return Action::stop; }
  } stop;
  error_of(ErrorKind::interrupted, [&] { check_simulator(spec_of(slow), {}, &stop); });
  error_of(ErrorKind::input, [&] { check_simulator(spec_of(slow), {.num_simulations = 0}); });
}

}  // namespace
}  // namespace epsfree
