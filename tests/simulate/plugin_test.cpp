#include "epsfree/plugin.hpp"

#include <epsfree_plugin.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "base/file.hpp"
#include "epsfree/runner.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

std::string library(const char* kind) {
  return std::string(EPSFREE_TEST_PLUGINS) + "/" + kind + ".so";
}

std::string refusal(const PluginOptions& options, ErrorKind kind = ErrorKind::input) {
  return error_of(kind, [&] { plugin_simulator(options); });
}

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
}

Eigen::MatrixXd some_thetas(Index count) {
  Eigen::MatrixXd thetas(2, count);
  for (Index i = 0; i < count; ++i) thetas.col(i) = Eigen::Vector2d(double(i), 0.25);
  return thetas;
}

// The seed is the first number of a simulation's stream, as other simulators outside of this
// program have it.
TEST(Plugin, PassesParametersAndTheSimulationsSeed) {
  for (const char* kind : {"GOOD", "BATCH", "UNSAFE"}) {
    const SimulatorPtr simulator = plugin_simulator({.path = library(kind)});
    EXPECT_EQ(simulator->num_parameters(), 2);
    EXPECT_EQ(simulator->num_statistics(), 2);
    EXPECT_FALSE(simulator->faults_may_pass());
    const Eigen::MatrixXd thetas = some_thetas(100);
    const Key key{.purpose = Purpose::simulation, .round = 3};
    const SimulationResults results =
        ThreadRunner(4).run({.simulator = *simulator, .thetas = thetas, .seed = 9, .first = key});
    ASSERT_EQ(results.num_ok(), 100) << kind;
    for (Index i = 0; i < 100; ++i) {
      Key own = key;
      own.index = static_cast<std::uint64_t>(i);
      const std::uint64_t seed = Stream(9, own).bits64();
      EXPECT_EQ(results.statistics(0, i),
                thetas.col(i).sum() + static_cast<double>(static_cast<std::uint32_t>(seed)));
      EXPECT_EQ(results.statistics(1, i),
                thetas.col(i).sum() + static_cast<double>(static_cast<std::uint32_t>(seed >> 32)));
    }
  }
}

// UNSAFE fails when two calls overlap, which they do without the lock: see by saying true here.
TEST(Plugin, IsCalledOneAtATimeUnlessItMayBeCalledFromSeveralThreads) {
  EXPECT_FALSE(plugin_info(library("UNSAFE")).thread_safe);
  EXPECT_TRUE(plugin_info(library("GOOD")).thread_safe);
  const SimulatorPtr simulator = plugin_simulator({.path = library("UNSAFE")});
  const Eigen::MatrixXd thetas = some_thetas(400);
  EXPECT_EQ(ThreadRunner(4).run({.simulator = *simulator, .thetas = thetas}).num_ok(), 400);
}

TEST(Plugin, OutcomesAreValuesWithMessages) {
  const SimulatorPtr simulator = plugin_simulator({.path = library("GOOD")});
  Eigen::MatrixXd thetas(2, 6);
  thetas << 1, -1, -2, -3, -4, -5, 0, 0, 0, 0, 0, 0;
  struct Sink final : SimulationSink {
    std::vector<std::string> messages = std::vector<std::string>(6);
    void on_end(std::span<const SimulationRecord> records,
                const Eigen::Ref<const Eigen::MatrixXd>&) override {
      for (const auto& record : records) {
        messages[static_cast<std::size_t>(record.column)] = record.message;
      }
    }
  } sink;
  const SimulationResults results =
      ThreadRunner(1).run({.simulator = *simulator, .thetas = thetas, .sink = &sink});
  EXPECT_EQ(results.statuses,
            (std::vector{SimStatus::ok, SimStatus::invalid, SimStatus::failed, SimStatus::failed,
                         SimStatus::failed, SimStatus::invalid}));
  EXPECT_EQ(sink.messages[1], "the population died out") << "without Fortran's blanks";
  EXPECT_EQ(sink.messages[2], "the plugin returned 7");
  EXPECT_EQ(sink.messages[3], std::string(1024, 'x'));
  EXPECT_EQ(sink.messages[4], "thrown through C");
}

TEST(Plugin, AFailedBatchIsFailedAsAWhole) {
  const SimulatorPtr simulator = plugin_simulator({.path = library("BATCH")});
  EXPECT_GT(simulator->preferred_batch(), 1);
  Eigen::MatrixXd thetas = some_thetas(3);
  thetas(0, 1) = -1;
  std::vector<Stream> streams(3, Stream(1));
  std::vector<SimStatus> statuses(3, SimStatus::lost);
  Eigen::MatrixXd x(2, 3);
  simulator->simulate(thetas, streams, x, statuses);
  EXPECT_EQ(statuses, (std::vector{SimStatus::ok, SimStatus::invalid, SimStatus::ok}));
  thetas(0, 2) = -2;
  simulator->simulate(thetas, streams, x, statuses);
  EXPECT_EQ(statuses, std::vector(3, SimStatus::failed));
}

TEST(Plugin, NothingIsCalledOnceStopped) {
  std::stop_source stop;
  stop.request_stop();
  for (const char* kind : {"GOOD", "BATCH"}) {
    const SimulatorPtr simulator = plugin_simulator({.path = library(kind)});
    std::vector<Stream> streams(3, Stream(1));
    std::vector<SimStatus> statuses(3, SimStatus::ok);
    std::vector<std::string> messages(3);
    Eigen::MatrixXd x(2, 3);
    simulator->simulate_in({messages, stop.get_token()}, some_thetas(3), streams, x, statuses);
    EXPECT_EQ(statuses, std::vector(3, SimStatus::lost));
  }
}

TEST(Plugin, TakesTheProblemsDimensionsWhereItHasNone) {
  const SimulatorPtr simulator =
      plugin_simulator({.path = library("ANY_SIZE"), .num_parameters = 3, .num_statistics = 5});
  EXPECT_EQ(simulator->num_parameters(), 3);
  EXPECT_EQ(simulator->num_statistics(), 5);
  expect_has(refusal({.path = library("ANY_SIZE"), .num_parameters = 3}),
             "any number of statistics");
}

TEST(Plugin, RefusesWhatDoesNotFitInWords) {
  expect_has(refusal({.path = "no/such.so"}, ErrorKind::io), "'no/such.so' does not exist");
  expect_has(refusal({.path = ""}, ErrorKind::usage), "path is empty");
  expect_has(refusal({.path = EPSFREE_TEST_PLUGINS}), "is a directory");
  expect_has(refusal({.path = library("SILENT")}), "'epsfree_plugin_version'");
  expect_has(refusal({.path = library("NO_SIMULATE")}), "'epsfree_simulate'");
  expect_has(refusal({.path = library("OTHER_VERSION")}), "version 2 of epsfree_plugin.h");
  expect_has(refusal({.path = library("NEGATIVE")}), "-1 parameters");
  expect_has(refusal({.path = library("GOOD"), .num_parameters = 3}),
             "has 2 parameters, but the problem has 3");
  expect_has(refusal({.path = library("GOOD"), .num_statistics = 4}),
             "has 2 statistics, but the problem has 4");
  refusal({.path = library("GOOD"), .num_statistics = -4}, ErrorKind::usage);
}

TEST(Plugin, RefusesFilesThatAreNoLibraries) {
  const TemporaryDirectory directory;
  write_file_atomically(directory.file("text.so"), "not a library\n");
  write_file_atomically(directory.file("empty.so"), "");
  const std::string good = read_file(library("GOOD"));
  write_file_atomically(directory.file("half.so"), good.substr(0, good.size() / 8));
  for (const char* name : {"text.so", "empty.so", "half.so"}) {
    expect_has(refusal({.path = directory.file(name)}), "cannot be loaded as a shared library");
  }
}

}  // namespace
}  // namespace epsfree
