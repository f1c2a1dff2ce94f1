#include <gtest/gtest.h>

#include "epsfree/error.hpp"
#include "simulate/process/nursery.hpp"
#include "support/contains.hpp"
#include "support/temporary_directory.hpp"
#include "zoo.hpp"

namespace epsfree {
namespace {

const Key kKey{.purpose = Purpose::simulation, .round = 2};

class WorkerZoo : public ::testing::Test {
 protected:
  SimulatorPtr make(const std::string& mode) {
    WorkerOptions options = zoo_worker(mode, mark_);
    options.process.time_limit_seconds = limit_;
    if (!extra_.empty()) options.process.argv.push_back(extra_);
    options.process.memory_limit = memory_limit_;
    return worker_simulator(options);
  }
  /// 40 simulations of which the 7th and the 31st are such that the worker misbehaves.
  SimulationResults run(const std::string& mode, Index chunk, int retries = 0) {
    const SimulatorPtr simulator = make(mode);
    return ThreadRunner(RunnerOptions{.num_threads = 2, .retries = retries, .chunk = chunk})
        .run({*simulator, toy_thetas(40, {7, 31}), 3, kKey});
  }
  /// Expects all but those two to be right.
  void expect_only_those(const std::string& mode, SimStatus status, const std::string& message) {
    static const SimulationResults expected =
        ThreadRunner(1).run({*toy_function(), toy_thetas(40, {7, 31}), 3, kKey});
    for (const Index chunk : {1, 9}) {
      const SimulationResults results = run(mode, chunk);
      EXPECT_EQ(results.num_ok(), 38) << mode << ": " << results.first_failure;
      for (Index i = 0; i < 40; ++i) {
        const SimStatus seen = results.statuses[static_cast<std::size_t>(i)];
        if (i == 7 || i == 31) {
          EXPECT_STREQ(to_string(seen), to_string(status)) << mode << ", simulation " << i;
        } else {
          EXPECT_EQ(results.statistics.col(i), expected.statistics.col(i)) << mode;
        }
      }
      EXPECT_CONTAINS(results.first_failure, message) << mode;
    }
  }
  void TearDown() override {
    EXPECT_TRUE(mark_.wait_for(0, 5)) << "processes are left";
    EXPECT_TRUE(wait_for_no_zombies(Nursery::shared()->pid()));
  }

  ProcessMark mark_;
  double limit_ = 20;
  double memory_limit_ = 0;
  std::string extra_;
};

TEST_F(WorkerZoo, GivesWhatAFunctionGives) {
  const Eigen::MatrixXd thetas = toy_thetas(500);
  const SimulationResults function = ThreadRunner(1).run({*toy_function(), thetas, 3, kKey});
  for (const char* mode : {"good", "shim", "shim-prints", "flood-stderr"}) {
    const Index count = mode == std::string("flood-stderr") ? 1 : 500;
    const SimulatorPtr simulator = make(mode);
    for (const Index chunk : {0, 1, 100}) {
      const SimulationResults worker = ThreadRunner(RunnerOptions{.num_threads = 3, .chunk = chunk})
                                           .run({*simulator, thetas.leftCols(count), 3, kKey});
      EXPECT_EQ(worker.num_ok(), count) << mode << ": " << worker.first_failure;
      EXPECT_EQ(worker.statistics, function.statistics.leftCols(count)) << mode;
    }
    EXPECT_LE(mark_.living().size(), 3u);  // one for each thread, and they stay
    EXPECT_GE(mark_.living().size(), 1u);
  }
}

TEST_F(WorkerZoo, IsRefusedMoreMemoryThanItsLimit) {
  memory_limit_ = 100;
  expect_only_those("allocate", SimStatus::failed, "at its memory limit of 100 MB");
}

TEST_F(WorkerZoo, BlamesTheSimulationThatWentWrong) {
  expect_only_those("segfault", SimStatus::failed, "signal 11");
  expect_only_those("exit3", SimStatus::failed, "the mesh is too coarse");
  expect_only_those("exit0", SimStatus::failed, "exited with code 0");
  expect_only_those("nan", SimStatus::invalid, "");
  expect_only_those("short", SimStatus::failed, "gave 2 statistics, expected 3");
  expect_only_those("garbage", SimStatus::failed, "[1,2,3]");
  expect_only_those("half-line-exit", SimStatus::failed, "exited with code 0");
  expect_only_those("endless-line", SimStatus::failed, "line without end");
  expect_only_those("other-id", SimStatus::failed, "answered request 10");
  expect_only_those("shim-throws", SimStatus::failed, "exception");
  expect_only_those("shim-nan", SimStatus::invalid, "");
  expect_only_those("shim-invalid", SimStatus::invalid, "");
}

TEST_F(WorkerZoo, EndsWhatTakesTooLong) {
  limit_ = 0.2;
  for (const char* mode : {"hang", "half-line", "ignore-term"}) {
    expect_only_those(mode, SimStatus::timeout, "took longer than 0.2 s");
  }
}

TEST_F(WorkerZoo, NoticesClosedPipes) {
  expect_only_those("close-stdin", SimStatus::failed, "closed its standard input");
  expect_only_those("close-stdout", SimStatus::failed, "closed its standard output");
  EXPECT_EQ(simulate_once(*make("close-after-hello")).status, SimStatus::failed);
}

TEST_F(WorkerZoo, EndsGrandchildren) {
  expect_only_those("grandchild", SimStatus::failed, "signal 11");
  EXPECT_TRUE(mark_.wait_for(0, 5));
}

TEST_F(WorkerZoo, TheFirstAnswerCounts) {
  const Eigen::MatrixXd thetas = toy_thetas(30);
  const SimulationResults function = ThreadRunner(1).run({*toy_function(), thetas, 3, kKey});
  for (const Index chunk : {1, 10}) {
    const SimulatorPtr simulator = make("twice");
    const SimulationResults results =
        ThreadRunner(RunnerOptions{.num_threads = 2, .retries = 0, .chunk = chunk})
            .run({*simulator, thetas, 3, kKey});
    EXPECT_EQ(results.num_ok(), 30) << results.first_failure;
    EXPECT_EQ(results.statistics, function.statistics);
  }
}

TEST_F(WorkerZoo, ReplacesADeadWorkerAndTriesAgain) {
  TemporaryDirectory directory;
  for (const Index chunk : {1, 9}) {
    extra_ = directory.file("died" + std::to_string(chunk));
    const SimulationResults results = run("dies-once", chunk, 1);
    EXPECT_EQ(results.num_ok(), 40) << results.first_failure;
    const SimulationResults expected =
        ThreadRunner(1).run({*toy_function(), toy_thetas(40, {7, 31}), 3, kKey});
    EXPECT_EQ(results.statistics, expected.statistics);
  }
}

TEST_F(WorkerZoo, ChecksTheHello) {
  const auto message = [&](const char* mode) {
    const ZooOutcome outcome = simulate_once(*make(mode));
    EXPECT_EQ(outcome.status, SimStatus::failed) << mode;
    return outcome.message;
  };
  EXPECT_CONTAINS(message("exit-at-once"), "exited with code 5");
  EXPECT_CONTAINS(message("exit-at-once"), "no licence");
  EXPECT_CONTAINS(message("hello-garbage"), "'hello world' instead of its hello");
  EXPECT_CONTAINS(message("hello-version"), "speaks version 2");
  EXPECT_CONTAINS(message("hello-dimensions"), "num_statistics is 7");
  WorkerOptions options = zoo_worker("no-hello", mark_);
  options.startup_seconds = 0.2;
  const ZooOutcome outcome = simulate_once(*worker_simulator(options));
  EXPECT_EQ(outcome.status, SimStatus::failed);
  EXPECT_CONTAINS(outcome.message, "did not say hello within 0.2 s");
}

TEST_F(WorkerZoo, StopsPromptly) {
  const SimulatorPtr simulator = make("hang");
  for (const bool ready : {false, true}) {
    // The second time the worker has been greeted already.
    if (ready) {
      EXPECT_EQ(simulate_once(*simulator, false).status, SimStatus::ok);
    }
    std::stop_source stop;
    std::jthread stopper([&] {
      mark_.wait_for(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      stop.request_stop();
    });
    const ZooOutcome outcome = simulate_once(*simulator, true, stop.get_token());
    EXPECT_EQ(outcome.status, SimStatus::lost);
    EXPECT_LT(outcome.seconds, 5);
    EXPECT_TRUE(mark_.wait_for(0));
  }
}

TEST_F(WorkerZoo, IsLostIfSomebodyElseEndsIt) {
  const SimulatorPtr simulator = make("hang");
  std::jthread killer([&] {
    mark_.wait_for(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (const int pid : mark_.living()) ::kill(pid, SIGTERM);
  });
  const ZooOutcome outcome = simulate_once(*simulator);
  EXPECT_EQ(outcome.status, SimStatus::lost);
  EXPECT_CONTAINS(outcome.message, "ended by signal 15");
}

TEST_F(WorkerZoo, EndsPolitelyWithTheSimulator) {
  {
    const SimulatorPtr simulator = make("stays");
    EXPECT_EQ(simulate_once(*simulator, false).status, SimStatus::ok);
    EXPECT_EQ(mark_.living().size(), 1u);
  }
  EXPECT_EQ(mark_.living().size(), 0u);
}

TEST_F(WorkerZoo, AsksForMoreAtATimeTheFasterItIs) {
  const SimulatorPtr simulator = make("shim");
  EXPECT_EQ(simulator->preferred_batch(), 1);
  ThreadRunner(1).run({*simulator, toy_thetas(50), 3, kKey});
  EXPECT_GT(simulator->preferred_batch(), 1);
  EXPECT_TRUE(simulator->faults_may_pass());
}

TEST_F(WorkerZoo, RequestsThatFillThePipeDoNotBlock) {
  // More than a pipe holds in both directions.
  WorkerOptions options = zoo_worker("shim", mark_);
  options.max_in_flight = 5000;
  const Eigen::MatrixXd thetas = toy_thetas(5000);
  const SimulationResults function = ThreadRunner(1).run({*toy_function(), thetas, 3, kKey});
  const SimulatorPtr simulator = worker_simulator(options);
  const SimulationResults results = ThreadRunner(RunnerOptions{.num_threads = 1, .chunk = 5000})
                                        .run({*simulator, thetas, 3, kKey});
  EXPECT_EQ(results.statistics, function.statistics) << results.first_failure;
}

}  // namespace
}  // namespace epsfree
