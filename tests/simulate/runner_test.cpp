#include "epsfree/runner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

const auto kProceed = [](long, long) { return Action::proceed; };

/// x = theta + noise. theta below -1 is NaN, above +1 throws for the whole batch.
class NoisySimulator final : public Simulator {
 public:
  explicit NoisySimulator(Index batch) : batch_(batch) {}
  Index num_parameters() const override { return 1; }
  Index num_statistics() const override { return 2; }
  Index preferred_batch() const override { return batch_; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    EXPECT_LE(thetas.cols(), batch_);
    for (Index i = 0; i < thetas.cols(); ++i) {
      const double theta = thetas(0, i);
      if (theta > 1) throw std::runtime_error("theta is " + std::to_string(theta));
      statistics(0, i) = theta < -1 ? std::nan("") : theta + streams[i].normal();
      statistics(1, i) = streams[i].uniform();
      if (theta == 0) statuses[i] = SimStatus::invalid;
    }
  }

 private:
  Index batch_;
};

Eigen::MatrixXd some_thetas() {
  Eigen::MatrixXd thetas = Eigen::RowVectorXd::LinSpaced(1001, -0.9, 0.9);
  thetas(0, 500) = 0;
  thetas(0, 17) = -2;
  thetas(0, 703) = 3;  // a higher index, but often reached first
  thetas(0, 41) = 2;
  return thetas;
}

TEST(ThreadRunner, SettlesEveryColumnByItself) {
  const SimulationResults results =
      ThreadRunner(2).run({NoisySimulator(16),
                           some_thetas(),
                           7,
                           {.purpose = Purpose::simulation, .index = 5},
                           {},
                           kProceed});
  ASSERT_EQ(results.statuses.size(), 1001u);
  EXPECT_EQ(results.num_ok(), 997);
  EXPECT_EQ(results.counts, (std::array<long, kNumSimStatuses>{997, 2, 2, 0, 0}));
  EXPECT_EQ(results.statuses[17], SimStatus::invalid);
  EXPECT_EQ(results.statuses[500], SimStatus::invalid);
  EXPECT_EQ(results.statuses[41], SimStatus::failed);
  EXPECT_EQ(results.statuses[703], SimStatus::failed);
  EXPECT_EQ(results.first_failure, "theta is 2.000000");
  EXPECT_FALSE(results.interrupted);
  EXPECT_GT(results.seconds, 0);
  for (Index i : {17, 41, 500, 703}) EXPECT_TRUE(results.statistics.col(i).array().isNaN().all());
  const std::vector<Index> ok = results.ok_indices();
  ASSERT_EQ(ok.size(), 997u);
  EXPECT_EQ(ok[16], 16);
  EXPECT_EQ(ok[17], 18);

  // Column i has the stream of index 5 + i.
  const Eigen::MatrixXd thetas = some_thetas();
  Stream stream(7, {.purpose = Purpose::simulation, .index = 5 + 42});
  EXPECT_EQ(results.statistics(0, 42), thetas(0, 42) + stream.normal());
}

TEST(ThreadRunner, GivesTheSameForAnyThreadsAndBatches) {
  const Eigen::MatrixXd thetas = some_thetas();
  const Key key{.purpose = Purpose::simulation, .round = 3};
  const SimulationResults one =
      ThreadRunner(1).run({NoisySimulator(1), thetas, 1, key, {}, kProceed});
  for (int threads : {1, 2, 4}) {
    for (Index batch : {1, 3, 16, 5000}) {
      const SimulationResults other =
          ThreadRunner(threads).run({NoisySimulator(batch), thetas, 1, key, {}, kProceed});
      EXPECT_EQ(one.statuses, other.statuses);
      EXPECT_EQ(one.counts, other.counts);
      EXPECT_EQ(one.first_failure, other.first_failure);
      const auto same = one.statistics.array() == other.statistics.array();
      const auto both_nan = one.statistics.array().isNaN() && other.statistics.array().isNaN();
      EXPECT_TRUE((same || both_nan).all()) << threads << " threads, batch " << batch;
    }
  }
}

TEST(ThreadRunner, ReportsFromTheCallingThreadAFewTimesASecond) {
  const SimulatorPtr slow = function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return theta[0] > 0 ? theta : Eigen::VectorXd();
  });
  Eigen::MatrixXd thetas = Eigen::MatrixXd::Ones(1, 400);
  thetas(0, 0) = -1;
  long calls = 0, last_done = 0, last_bad = 0;
  const SimulationResults results = ThreadRunner(2).run(
      {*slow, thetas, 1, {}, {}, [&, caller = std::this_thread::get_id()](long done, long bad) {
         EXPECT_EQ(std::this_thread::get_id(), caller);
         EXPECT_GE(done, last_done);
         last_done = done;
         last_bad = bad;
         ++calls;
         return Action::proceed;
       }});
  EXPECT_EQ(last_done, 400);
  EXPECT_EQ(last_bad, 1);
  EXPECT_GE(calls, 2);
  EXPECT_LE(calls, 2 + results.seconds * 20);
}

TEST(ThreadRunner, StopsWhenAskedAndCallsTheRestLost) {
  const SimulatorPtr slow = function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return theta;
  });
  const Eigen::MatrixXd thetas = Eigen::MatrixXd::Ones(1, 100000);
  const SimulationResults results =
      ThreadRunner(2).run({*slow, thetas, 1, {}, {}, [](long, long) { return Action::stop; }});
  EXPECT_TRUE(results.interrupted);
  const long lost = results.counts[static_cast<std::size_t>(SimStatus::lost)];
  EXPECT_GT(results.num_ok(), 0);
  EXPECT_GT(lost, 0);
  EXPECT_EQ(results.num_ok() + lost, 100000);
  EXPECT_TRUE(std::isnan(results.statistics(0, 99999)));
}

TEST(ThreadRunner, AShortRunIsAskedAtItsEnd) {
  const Eigen::MatrixXd thetas = Eigen::MatrixXd::Zero(1, 3).array() + 0.5;
  const SimulationResults results =
      ThreadRunner(1).run({NoisySimulator(2), thetas, 1, {}, {}, [](long done, long) {
                             EXPECT_EQ(done, 3);
                             return Action::stop;
                           }});
  EXPECT_TRUE(results.interrupted);
  EXPECT_EQ(results.num_ok(), 3);
}

/// Notes which threads it was called on.
class Whereabouts final : public Simulator {
 public:
  Index num_parameters() const override { return 1; }
  Index num_statistics() const override { return 1; }
  Index preferred_batch() const override { return 1; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics, std::span<SimStatus>) const override {
    if (slow.load()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    statistics(0, 0) = thetas(0, 0) + streams[0].normal();
    if (std::this_thread::get_id() == home) ++calls_at_home;
  }
  const std::thread::id home = std::this_thread::get_id();
  std::atomic<bool> slow{false};
  mutable std::atomic<long> calls_at_home{0};
};

TEST(ThreadRunner, StartsNoThreadsForWhatIsKnownToBeQuick) {
  Whereabouts simulator;
  const Eigen::MatrixXd thetas = Eigen::RowVectorXd::LinSpaced(5, 0, 1);
  const SimulationRequest request{.simulator = simulator, .thetas = thetas, .seed = 7};
  ThreadRunner runner(2);
  const SimulationResults first = runner.run(request);
  EXPECT_EQ(simulator.calls_at_home, 0) << "nothing is known of it yet";
  // On a busy machine one of them may seem slow: then threads are started again.
  for (int i = 0; i < 50 && simulator.calls_at_home < 5; ++i) {
    EXPECT_EQ(runner.run(request).statistics, first.statistics);
  }
  EXPECT_GE(simulator.calls_at_home, 5);
  // What is not quick after all is left to threads after its first.
  simulator.slow = true;
  const long before = simulator.calls_at_home;
  EXPECT_EQ(runner.run(request).statistics, first.statistics);
  EXPECT_LE(simulator.calls_at_home, before + 1);
  const long after = simulator.calls_at_home;
  EXPECT_EQ(runner.run(request).statistics, first.statistics);
  EXPECT_EQ(simulator.calls_at_home, after);
}

TEST(ThreadRunner, WorksWithoutProgressAndWithoutSimulations) {
  const SimulationResults none = ThreadRunner(3).run({NoisySimulator(2), Eigen::MatrixXd(1, 0), 1});
  EXPECT_EQ(none.statistics.rows(), 2);
  EXPECT_EQ(none.statistics.cols(), 0);
  EXPECT_EQ(none.num_ok(), 0);
  EXPECT_EQ(ThreadRunner(3).run({NoisySimulator(2), some_thetas(), 1}).num_ok(), 997);
}

TEST(ThreadRunner, KeepsWhatIsNoStandardException) {
  const SimulatorPtr thrower = function_simulator(
      1, 1, [](const Eigen::VectorXd&, Stream&) -> Eigen::VectorXd { throw 42; });
  const SimulationResults results = ThreadRunner(1).run({*thrower, Eigen::MatrixXd::Zero(1, 2), 1});
  EXPECT_EQ(results.counts[static_cast<std::size_t>(SimStatus::failed)], 2);
  EXPECT_FALSE(results.first_failure.empty());
}

TEST(ThreadRunner, RefusesBadArguments) {
  EXPECT_THROW(ThreadRunner(-1), Error);
  EXPECT_GE(ThreadRunner(0).num_threads(), 1);
  EXPECT_THROW(ThreadRunner(1).run({NoisySimulator(2), Eigen::MatrixXd(2, 4), 1}), Error);
}

/// Fails at first, with the streams' numbers as its only memory of who is who.
class FlakySimulator final : public Simulator {
 public:
  FlakySimulator(int faults, bool may_pass) : faults_(faults), may_pass_(may_pass) {}
  Index num_parameters() const override { return 1; }
  Index num_statistics() const override { return 1; }
  Index preferred_batch() const override { return 4; }
  bool faults_may_pass() const override { return may_pass_; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>&, std::span<Stream>,
                Eigen::Ref<Eigen::MatrixXd>, std::span<SimStatus>) const override {
    FAIL() << "simulate_in is what a runner calls";
  }
  void simulate_in(const BatchContext& context, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                   std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                   std::span<SimStatus> statuses) const override {
    for (Index i = 0; i < thetas.cols(); ++i) {
      const auto column = static_cast<std::size_t>(i);
      const double x = streams[column].uniform();
      const std::lock_guard lock(mutex_);
      if (seen_[x]++ < faults_) {
        statuses[column] = SimStatus::lost;
        context.messages[column] = "gone";
      }
      statistics(0, i) = x;
    }
  }

 private:
  int faults_;
  bool may_pass_;
  mutable std::mutex mutex_;
  mutable std::map<double, int> seen_;
};

class Collector final : public SimulationSink {
 public:
  void on_end(std::span<const SimulationRecord> records,
              const Eigen::Ref<const Eigen::MatrixXd>& statistics) override {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_TRUE(by_column.emplace(records[i].column, records[i]).second);
      x[records[i].column] = statistics(0, static_cast<Index>(i));
    }
  }
  std::thread::id caller = std::this_thread::get_id();
  std::map<Index, SimulationRecord> by_column;
  std::map<Index, double> x;
};

TEST(ThreadRunner, TriesFaultsAgainWithTheSameNumbers) {
  const Eigen::MatrixXd thetas = Eigen::MatrixXd::Zero(1, 50);
  const std::vector<Index> offsets = [] {
    std::vector<Index> values(50);
    for (Index i = 0; i < 50; ++i) values[static_cast<std::size_t>(i)] = 3 * i + 1;
    return values;
  }();
  Collector sink;
  const SimulationResults results =
      ThreadRunner(RunnerOptions{.num_threads = 3, .retries = 2})
          .run({FlakySimulator(2, true), thetas, 5, {.index = 100}, offsets, {}, &sink});
  EXPECT_EQ(results.num_ok(), 50);
  EXPECT_EQ(results.first_failure_column, -1);
  ASSERT_EQ(sink.by_column.size(), 50u);
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(results.statistics(0, i),
              Stream(5, {.index = 101 + 3 * static_cast<std::uint64_t>(i)}).uniform());
    EXPECT_EQ(sink.x[i], results.statistics(0, i));
    EXPECT_EQ(sink.by_column[i].attempts, 3);
    EXPECT_EQ(sink.by_column[i].status, SimStatus::ok);
  }
}

TEST(ThreadRunner, DoesNotTryAgainWhatCannotHelp) {
  const Eigen::MatrixXd thetas = Eigen::MatrixXd::Zero(1, 8);
  Collector sink;
  const SimulationResults results =
      ThreadRunner(RunnerOptions{.retries = 5})
          .run({FlakySimulator(1, false), thetas, 5, {}, {}, {}, &sink});
  EXPECT_EQ(results.counts[static_cast<std::size_t>(SimStatus::lost)], 8);
  EXPECT_EQ(results.first_failure, "gone");
  EXPECT_EQ(results.first_failure_column, 0);
  EXPECT_EQ(sink.by_column[3].message, "gone");
  EXPECT_EQ(sink.by_column[3].attempts, 1);
}

TEST(ThreadRunner, GivesUpWhenNothingButFaultsComes) {
  const SimulatorPtr slow =
      function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream&) -> Eigen::VectorXd {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (theta[0] < 0) throw std::runtime_error("no such file");
        return theta;
      });
  Eigen::MatrixXd thetas = -Eigen::MatrixXd::Ones(1, 5000);
  const SimulationResults results = ThreadRunner(2).run({*slow, thetas});
  EXPECT_TRUE(results.gave_up);
  EXPECT_FALSE(results.interrupted);
  EXPECT_EQ(results.first_failure, "no such file");
  EXPECT_GE(results.counts[static_cast<std::size_t>(SimStatus::lost)], 4000);
  // One that ends well keeps it going.
  thetas = -Eigen::MatrixXd::Ones(1, 100);
  thetas(0, 3) = 1;
  EXPECT_FALSE(ThreadRunner(2).run({*slow, thetas}).gave_up);
}

/// Gives a wrong number of values for some thetas.
SimulatorPtr misfit() {
  return function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream&) -> Eigen::VectorXd {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (theta[0] < 0) return Eigen::Vector4d(1, 2, 3, 4);
    return theta;
  });
}

// However many go well: what to mend is clear after a few.
TEST(ThreadRunner, StopsAfterAFewWithAWrongNumberOfValues) {
  Eigen::MatrixXd thetas = Eigen::MatrixXd::Ones(1, 3000);
  for (Index i = 0; i < thetas.cols(); i += 10) thetas(0, i) = -1;
  const SimulationResults results = ThreadRunner(2).run({*misfit(), thetas});
  EXPECT_TRUE(results.gave_up);
  EXPECT_GE(results.num_wrong_size, kMostWrongSizes);
  EXPECT_EQ(results.first_failure, "the function returned 4 values, expected 1");
  EXPECT_GE(results.counts[static_cast<std::size_t>(SimStatus::lost)], 1000);
  const SimulationResults all =
      ThreadRunner(RunnerOptions{.num_threads = 2, .give_up_after = 0}).run({*misfit(), thetas});
  EXPECT_FALSE(all.gave_up);
  EXPECT_EQ(all.counts[static_cast<std::size_t>(SimStatus::failed)], 300);
  // Also where all had ended before anybody looked.
  const Eigen::MatrixXd few = -Eigen::MatrixXd::Ones(1, 5);
  EXPECT_TRUE(ThreadRunner(2).run({*misfit(), few}).gave_up);
  EXPECT_FALSE(ThreadRunner(2).run({*misfit(), few.leftCols(4)}).gave_up);
}

}  // namespace
}  // namespace epsfree
