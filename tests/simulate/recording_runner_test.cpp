#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "epsfree/error.hpp"
#include "epsfree/ledger.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

/// Ends in every way that depends on nothing but theta and stream, and counts its calls.
class Counting final : public Simulator {
 public:
  Index num_parameters() const override { return 2; }
  Index num_statistics() const override { return 3; }
  Index preferred_batch() const override { return 4; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    simulate_in({}, thetas, streams, statistics, statuses);
  }
  void simulate_in(const BatchContext& context, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                   std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                   std::span<SimStatus> statuses) const override {
    for (Index i = 0; i < thetas.cols(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      calls.fetch_add(1);
      if (sleep_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(sleep_us));
      for (Index d = 0; d < 3; ++d) statistics(d, i) = thetas(d % 2, i) + streams[at].normal();
      const double u = broken ? 0 : streams[at].uniform();
      statuses[at] = u < 0.05   ? SimStatus::failed
                     : u < 0.1  ? SimStatus::timeout
                     : u < 0.15 ? SimStatus::lost
                     : u < 0.25 ? SimStatus::invalid
                                : SimStatus::ok;
      if (statuses[at] != SimStatus::ok && !context.messages.empty()) {
        context.messages[at] = "theta " + std::to_string(thetas(0, i));
      }
    }
  }
  mutable std::atomic<long> calls{0};
  int sleep_us = 0;
  bool broken = false;
};

struct Fixture : ::testing::Test {
  Eigen::MatrixXd thetas = [] {
    Eigen::MatrixXd values(2, 203);
    Stream stream(5);
    for (double& value : values.reshaped()) value = stream.normal();
    return values;
  }();
  const Key first{.purpose = Purpose::simulation, .round = 3, .index = 1000};
  TemporaryDirectory root;
  std::string path = root.file("l.sqlite");
  Counting simulator;

  SimulationRequest request() {
    return {.simulator = simulator, .thetas = thetas, .seed = 9, .first = first};
  }

  static void expect_same(const SimulationResults& a, const SimulationResults& b) {
    EXPECT_EQ(a.statuses, b.statuses);
    EXPECT_EQ(a.counts, b.counts);
    EXPECT_EQ(a.first_failure, b.first_failure);
    EXPECT_EQ(a.first_failure_column, b.first_failure_column);
    ASSERT_EQ(a.statistics.cols(), b.statistics.cols());
    EXPECT_TRUE(((a.statistics.array() == b.statistics.array()) ||
                 (a.statistics.array().isNaN() && b.statistics.array().isNaN()))
                    .all());
  }
};

/// Keys, thetas, outcomes: all but what they cost.
std::string contents(Ledger& ledger) {
  std::string text;
  ledger.visit([&](const LedgerRow& row) {
    const auto add = [&](const void* data, std::size_t size) {
      text.append(static_cast<const char*>(data), size);
    };
    add(&row.key.index, sizeof row.key.index);
    add(&row.status, sizeof row.status);
    add(row.theta.data(), row.theta.size_bytes());
    add(row.x.data(), row.x.size_bytes());
    text += row.message;
  });
  return text;
}

using RecordingRunnerTest = Fixture;

TEST_F(RecordingRunnerTest, RecordsOnceAndReplaysTheSameBits) {
  ThreadRunner plain(2);
  const SimulationResults expected = plain.run(request());
  ASSERT_GT(expected.counts[4], 0);
  {
    Ledger ledger(path);
    RecordingRunner runner(plain, ledger, {.policy = Recording::always});
    expect_same(runner.run(request()), expected);
    EXPECT_EQ(runner.counts().num_recorded, 203);
  }
  const long before = simulator.calls;
  Ledger ledger(path);
  RecordingRunner runner(plain, ledger);
  long told = 0;
  SimulationRequest again = request();
  again.progress = [&](long done, long) {
    told = done;
    return Action::proceed;
  };
  expect_same(runner.run(again), expected);
  EXPECT_EQ(simulator.calls, before) << "nothing recorded is simulated again";
  EXPECT_EQ(told, 203);
  EXPECT_EQ(runner.counts().num_replayed, 203);
}

// As streaming rejection asks.
TEST_F(RecordingRunnerTest, RecordsOnlyWhatIsWorthIt) {
  ThreadRunner plain(2);
  const SimulationResults expected = plain.run(request());
  SimulationRequest choosy = request();
  choosy.worth_recording = [](const Eigen::Ref<const Eigen::VectorXd>& x) { return x[0] > 0.5; };
  long chosen = 0;
  for (const Index i : expected.ok_indices()) chosen += expected.statistics(0, i) > 0.5 ? 1 : 0;
  ASSERT_GT(chosen, 10);
  Ledger ledger(path);
  {
    RecordingRunner runner(plain, ledger, {.policy = Recording::always});
    expect_same(runner.run(choosy), expected);
    EXPECT_EQ(runner.counts().num_simulated, 203);
    EXPECT_EQ(runner.counts().num_recorded, chosen);
    EXPECT_EQ(ledger.num_simulations(), chosen);
  }
  // Asked again, the others are made anew; recorded are still only those.
  RecordingRunner runner(plain, ledger, {.policy = Recording::always});
  expect_same(runner.run(choosy), expected);
  EXPECT_EQ(runner.counts().num_replayed, chosen);
  EXPECT_EQ(runner.counts().num_simulated, 203 - chosen);
  EXPECT_EQ(ledger.num_simulations(), chosen);
  // Without the choice, what is missing is recorded too.
  expect_same(runner.run(request()), expected);
  EXPECT_EQ(ledger.num_simulations(), 203);
}

TEST_F(RecordingRunnerTest, OnlyTheMissingAreMade) {
  ThreadRunner plain(2);
  const SimulationResults expected = plain.run(request());
  Ledger ledger(path);
  RecordingRunner runner(plain, ledger, {.policy = Recording::always});
  // Every third, in no order, under the keys of the whole.
  std::vector<Index> offsets;
  for (Index i = 201; i >= 0; i -= 3) offsets.push_back(i);
  const Eigen::MatrixXd some = thetas(Eigen::all, offsets);
  SimulationRequest part{.simulator = simulator, .thetas = some, .seed = 9, .first = first};
  part.offsets = offsets;
  const SimulationResults third = runner.run(part);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    EXPECT_EQ(third.statuses[i], expected.statuses[static_cast<std::size_t>(offsets[i])]);
  }
  const long before = simulator.calls;
  expect_same(runner.run(request()), expected);
  EXPECT_EQ(simulator.calls - before, 203 - static_cast<long>(offsets.size()));
  expect_same(runner.run(part), third);
}

TEST_F(RecordingRunnerTest, OneDigestForAnyThreadsAndChunks) {
  std::set<std::string> digests;
  int number = 0;
  for (const int threads : {1, 2, 3, 7}) {
    for (const Index chunk : {0, 1, 5, 64}) {
      Ledger ledger(root.file(std::to_string(number++)));
      ThreadRunner plain(RunnerOptions{.num_threads = threads, .chunk = chunk});
      RecordingRunner(plain, ledger, {.policy = Recording::always}).run(request());
      digests.insert(contents(ledger));
    }
  }
  EXPECT_EQ(digests.size(), 1u);
}

TEST_F(RecordingRunnerTest, ASimulationAloneGivesItsRecord) {
  ThreadRunner plain(2);
  Ledger ledger(path);
  RecordingRunner(plain, ledger, {.policy = Recording::always}).run(request());
  long checked = 0;
  ledger.visit([&](const LedgerRow& row) {
    if (row.key.index % 20 != 0) return;
    const Eigen::MatrixXd theta = Eigen::Map<const Eigen::VectorXd>(row.theta.data(), 2);
    const SimulationResults alone =
        plain.run({.simulator = simulator, .thetas = theta, .seed = 9, .first = row.key});
    EXPECT_EQ(alone.statuses[0], row.status);
    for (std::size_t d = 0; d < row.x.size(); ++d) {
      EXPECT_EQ(alone.statistics(static_cast<Index>(d), 0), row.x[d]);
    }
    ++checked;
  });
  EXPECT_GE(checked, 10);
}

TEST_F(RecordingRunnerTest, AnotherThetaIsRefusedOrReplaced) {
  ThreadRunner plain(1);
  Ledger ledger(path);
  { RecordingRunner(plain, ledger, {.policy = Recording::always}).run(request()); }
  thetas(1, 7) = std::nextafter(thetas(1, 7), 10);
  RecordingRunner strict(plain, ledger);
  const std::string message = error_of(ErrorKind::input, [&] { strict.run(request()); });
  EXPECT_NE(message.find("round 3, index 1007"), std::string::npos) << message;
  const SimulationResults expected = plain.run(request());
  const long before = simulator.calls;
  RecordingRunner lenient(plain, ledger, {.policy = Recording::always, .replace_others = true});
  expect_same(lenient.run(request()), expected);
  EXPECT_EQ(simulator.calls - before, 1);
  expect_same(RecordingRunner(plain, ledger).run(request()), expected);
}

TEST_F(RecordingRunnerTest, AnInterruptedRunGoesOn) {
  ThreadRunner plain(2);
  const SimulationResults expected = plain.run(request());
  simulator.sleep_us = 2000;
  Ledger ledger(path);
  RecordingRunner runner(plain, ledger);
  SimulationRequest stopped = request();
  stopped.progress = [](long done, long) { return done >= 20 ? Action::stop : Action::proceed; };
  const SimulationResults part = runner.run(stopped);
  ASSERT_TRUE(part.interrupted);
  const long recorded = ledger.num_simulations();
  EXPECT_GE(recorded, 20);
  EXPECT_LT(recorded, 203);
  const long before = simulator.calls;
  expect_same(runner.run(request()), expected);
  EXPECT_EQ(simulator.calls - before, 203 - recorded);
}

TEST_F(RecordingRunnerTest, NothingButFaultsIsTriedAgainWhenItIsMended) {
  ThreadRunner plain(2);
  const SimulationResults expected = plain.run(request());
  simulator.broken = true;
  simulator.sleep_us = 2000;
  Ledger ledger(path);
  RecordingRunner runner(plain, ledger, {.policy = Recording::always});
  EXPECT_TRUE(runner.run(request()).gave_up);
  EXPECT_EQ(ledger.num_simulations(), 0);
  simulator.broken = false;
  expect_same(runner.run(request()), expected);
  // With some recorded as good, a remainder of faults alone is no reason to give up.
  for (Index i = 50; i < 203; ++i) ledger.erase(Key{first.purpose, 0, 3, 1000 + std::uint64_t(i)});
  simulator.broken = true;
  const SimulationResults rest = runner.run(request());
  EXPECT_FALSE(rest.gave_up);
  EXPECT_GE(rest.counts[1] + rest.counts[2] + rest.counts[3] + rest.counts[4], 153);
}

// A wrong number of values is a mistake that will be mended: it is not recorded, the others are.
TEST_F(RecordingRunnerTest, WrongNumbersOfValuesAreNotRecorded) {
  bool mended = false;
  const SimulatorPtr misfit =
      function_simulator(2, 3, [&](const Eigen::VectorXd& theta, Stream&) -> Eigen::VectorXd {
        if (!mended && theta[0] > 2.3) return theta;
        return Eigen::Vector3d(theta[0], theta[1], 1);
      });
  const auto num_misfits = (thetas.row(0).array() > 2.3).count();
  ASSERT_GE(num_misfits, 1);
  ASSERT_LT(num_misfits, kMostWrongSizes);
  ThreadRunner plain(2);
  Ledger ledger(path);
  RecordingRunner runner(plain, ledger, {.policy = Recording::always});
  const SimulationRequest asked{.simulator = *misfit, .thetas = thetas, .seed = 9, .first = first};
  EXPECT_EQ(runner.run(asked).counts[static_cast<std::size_t>(SimStatus::failed)], num_misfits);
  EXPECT_EQ(ledger.num_simulations(), 203 - num_misfits);
  mended = true;
  EXPECT_EQ(runner.run(asked).num_ok(), 203);
  EXPECT_EQ(ledger.num_simulations(), 203);
}

TEST_F(RecordingRunnerTest, FaultsAreMadeAgainOnceTheyAreForgotten) {
  ThreadRunner plain(2);
  Ledger ledger(path);
  RecordingRunner runner(plain, ledger, {.policy = Recording::always});
  const SimulationResults before = runner.run(request());
  const long faults = before.counts[2] + before.counts[3] + before.counts[4];
  ASSERT_GE(faults, 5);
  EXPECT_EQ(ledger.num_faults(), faults);
  EXPECT_EQ(ledger.erase_faults(), faults);
  EXPECT_EQ(ledger.num_simulations(), 203 - faults);
  const long calls = simulator.calls;
  expect_same(runner.run(request()), before);
  EXPECT_EQ(simulator.calls - calls, faults);
}

TEST_F(RecordingRunnerTest, TheLedgerKnowsWhatASimulationWasDrawnFrom) {
  ThreadRunner plain(2);
  Ledger ledger(path);
  RecordingRunner runner(plain, ledger, {.policy = Recording::always});
  const auto origins = [&] {
    std::map<DrawnFrom, long> counts;
    ledger.visit([&](const LedgerRow& row) { ++counts[row.drawn_from]; });
    return counts;
  };
  runner.run(request());
  EXPECT_EQ(origins(), (std::map<DrawnFrom, long>{{DrawnFrom::unknown, 203}}));
  ledger.clear();
  SimulationRequest from_prior = request();
  from_prior.drawn_from = DrawnFrom::prior;
  runner.run(from_prior);
  EXPECT_EQ(origins(), (std::map<DrawnFrom, long>{{DrawnFrom::prior, 203}}));
  // Part of them is made again, and only those near something are recorded.
  ledger.erase_faults();
  SimulationRequest near = from_prior;
  near.worth_recording = [](const auto& x) { return x[0] > 0; };
  near.first.round = 4;
  runner.run(near);
  const auto mixed = origins();
  EXPECT_GT(mixed.at(DrawnFrom::prior_near), 10);
  EXPECT_LT(mixed.at(DrawnFrom::prior_near), 150);
}

// The same where all have ended before anybody looks, and so nobody gives up.
TEST_F(RecordingRunnerTest, QuickFaultsAreTriedAgainToo) {
  ThreadRunner plain(2);
  const SimulationResults expected = plain.run(request());
  simulator.broken = true;
  Ledger ledger(path);
  RecordingRunner runner(plain, ledger, {.policy = Recording::always});
  runner.run(request());
  EXPECT_EQ(ledger.num_simulations(), 0);
  simulator.broken = false;
  expect_same(runner.run(request()), expected);
}

TEST_F(RecordingRunnerTest, FastSimulationsAreNotRecordedUnlessAsked) {
  ThreadRunner plain(1);
  Eigen::MatrixXd many = Eigen::MatrixXd::Random(2, 200000);
  SimulationRequest large{.simulator = simulator, .thetas = many, .seed = 9, .first = first};
  Ledger ledger(path);
  RecordingRunner runner(plain, ledger);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  runner.run(large);
  EXPECT_LT(runner.counts().num_recorded, 20000);
#endif
  RecordingRunner never(plain, ledger, {.policy = Recording::never});
  simulator.sleep_us = 100;
  never.run(request());
  EXPECT_EQ(never.counts().num_recorded, 0);
  RecordingRunner slow(plain, ledger);
  slow.run(request());
  EXPECT_EQ(slow.counts().num_recorded, 203);
}

// The first 64 bits of a simulation's stream are the seed that simulators elsewhere are given.
TEST(SimulationSeeds, AMillionAreDistinct) {
  std::vector<std::uint64_t> seeds;
  seeds.reserve(1000000);
  for (std::uint32_t round = 0; round < 10; ++round) {
    for (std::uint64_t index = 0; index < 100000; ++index) {
      seeds.push_back(
          Stream(1, {.purpose = Purpose::simulation, .round = round, .index = index}).bits64());
    }
  }
  std::sort(seeds.begin(), seeds.end());
  EXPECT_EQ(std::adjacent_find(seeds.begin(), seeds.end()), seeds.end());
}

}  // namespace
}  // namespace epsfree
