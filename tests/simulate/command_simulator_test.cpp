#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "epsfree/error.hpp"
#include "simulate/process/nursery.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"
#include "zoo.hpp"

namespace epsfree {
namespace {

namespace fs = std::filesystem;

bool is_empty(const std::string& directory) { return fs::is_empty(directory); }

class CommandZoo : public ::testing::Test {
 protected:
  SimulatorPtr make(const std::string& mode) {
    CommandOptions options = zoo_command(mode, mark_);
    options.scratch_directory = scratch_.path();
    options.process.time_limit_seconds = limit_;
    return command_simulator(options);
  }
  ZooOutcome run(const std::string& mode) { return simulate_once(*make(mode)); }
  void TearDown() override {
    EXPECT_TRUE(mark_.wait_for(0, 5)) << "processes are left";
    EXPECT_TRUE(wait_for_no_zombies(Nursery::shared()->pid()));
    EXPECT_TRUE(is_empty(scratch_.path()));
  }

  ProcessMark mark_;
  TemporaryDirectory scratch_;
  double limit_ = 20;
};

TEST_F(CommandZoo, GivesWhatAFunctionGives) {
  const Eigen::MatrixXd thetas = toy_thetas(20);
  const Key key{.purpose = Purpose::simulation, .round = 2};
  const SimulationResults function = ThreadRunner(1).run({*toy_function(), thetas, 3, key});
  const SimulationResults command = ThreadRunner(3).run({*make("good"), thetas, 3, key});
  EXPECT_EQ(command.num_ok(), 20) << command.first_failure;
  EXPECT_EQ(command.statistics, function.statistics);
}

TEST_F(CommandZoo, TellsFailuresFromInvalidity) {
  const ZooOutcome segfault = run("segfault");
  EXPECT_EQ(segfault.status, SimStatus::failed);
  EXPECT_CONTAINS(segfault.message, "was ended by signal 11");

  const ZooOutcome exit3 = run("exit3");
  EXPECT_EQ(exit3.status, SimStatus::failed);
  EXPECT_CONTAINS(exit3.message, "exited with code 3");
  EXPECT_CONTAINS(exit3.message, "the mesh is too coarse");
  EXPECT_CONTAINS(exit3.message, "zoo exit3 ");

  EXPECT_EQ(run("nan").status, SimStatus::invalid);
  EXPECT_EQ(run("inf").status, SimStatus::invalid);
  const ZooOutcome shorter = run("short");
  EXPECT_EQ(shorter.status, SimStatus::failed);
  EXPECT_CONTAINS(shorter.message, "2 numbers, expected 3");
  const ZooOutcome garbage = run("garbage");
  EXPECT_EQ(garbage.status, SimStatus::failed);
  EXPECT_CONTAINS(garbage.message, "three");
}

TEST_F(CommandZoo, IsRefusedMoreMemoryThanItsLimit) {
  const auto run_within = [&](const std::string& mode, double limit) {
    CommandOptions options = zoo_command(mode, mark_);
    options.scratch_directory = scratch_.path();
    options.process.memory_limit = limit;
    return simulate_once(*command_simulator(options));
  };
  // It takes 200 MB, page by page.
  const ZooOutcome enough = run_within("allocate", 300);
  EXPECT_EQ(enough.status, SimStatus::ok) << enough.message;
  EXPECT_EQ(run_within("allocate", 0).status, SimStatus::ok);
  const ZooOutcome refused = run_within("allocate", 100);
  EXPECT_EQ(refused.status, SimStatus::failed);
  EXPECT_CONTAINS(refused.message, "at its memory limit of 100 MB");
  // One that says nothing may have had other reasons.
  const ZooOutcome silent = run_within("segfault", 100);
  EXPECT_CONTAINS(silent.message, "perhaps at its memory limit of 100 MB");
}

TEST_F(CommandZoo, SurvivesFloods) {
  const ZooOutcome err = run("flood-stderr");
  EXPECT_EQ(err.status, SimStatus::ok) << err.message;
  const ZooOutcome out = run("flood-stdout");
  EXPECT_EQ(out.status, SimStatus::failed);
  EXPECT_CONTAINS(out.message, "wrote more than");
  EXPECT_LT(out.message.size(), 10000u);
}

TEST_F(CommandZoo, EndsWhatTakesTooLong) {
  limit_ = 0.2;
  for (const char* mode : {"hang", "close-pipes", "ignore-term", "hang-in-group", "on-term-fine"}) {
    const ZooOutcome outcome = run(mode);
    EXPECT_EQ(outcome.status, SimStatus::timeout) << mode << ": " << outcome.message;
    EXPECT_LT(outcome.seconds, 5) << mode;
    EXPECT_GE(outcome.seconds, 0.2) << mode;
  }
}

TEST_F(CommandZoo, EndsWhatIsLeftBehind) {
  for (const char* mode : {"grandchild", "grandchild-setsid", "grandchild-setsid-pipes"}) {
    const ZooOutcome outcome = run(mode);
    EXPECT_EQ(outcome.status, SimStatus::ok) << mode << ": " << outcome.message;
    EXPECT_LT(outcome.seconds, 5) << mode;
    // The one that left the group is found within a second or two, not when all ends.
    EXPECT_TRUE(mark_.wait_for(0, 5)) << mode;
  }
}

TEST_F(CommandZoo, StopsPromptly) {
  const SimulatorPtr simulator = make("hang-in-group");
  std::stop_source stop;
  std::jthread stopper([&] {
    mark_.wait_for(3);
    stop.request_stop();
  });
  const ZooOutcome outcome = simulate_once(*simulator, true, stop.get_token());
  EXPECT_EQ(outcome.status, SimStatus::lost);
  EXPECT_LT(outcome.seconds, 5);
  EXPECT_EQ(simulate_once(*simulator, true, stop.get_token()).status, SimStatus::lost);
}

TEST_F(CommandZoo, IsLostIfSomebodyElseEndsIt) {
  std::jthread killer([&] {
    mark_.wait_for(1);
    for (const int pid : mark_.living()) ::kill(pid, SIGKILL);
  });
  const ZooOutcome outcome = run("hang");
  EXPECT_EQ(outcome.status, SimStatus::lost);
  EXPECT_CONTAINS(outcome.message, "ended by signal 9");
}

TEST_F(CommandZoo, MakesAFreshPlaceForEach) {
  const SimulatorPtr simulator = make("descriptors");
  std::vector<Stream> streams(2, Stream(1));
  std::vector<SimStatus> statuses(2);
  Eigen::MatrixXd x(3, 2);
  simulator->simulate(toy_thetas(2), streams, x, statuses);
  // Three descriptors, an empty standard input, an empty directory.
  EXPECT_EQ(x.col(0), Eigen::Vector3d(3, 0, 0));
  EXPECT_EQ(x.col(1), x.col(0));
  EXPECT_EQ(simulate_once(*make("litter")).status, SimStatus::ok);
  const SimulatorPtr signals = make("signals");
  signals->simulate(toy_thetas(2), streams, x, statuses);
  EXPECT_EQ(x.col(0), Eigen::Vector3d(0, 0, 1));
}

TEST_F(CommandZoo, AddsToTheEnvironment) {
  CommandOptions options = zoo_command("environment", mark_);
  options.process.environment.emplace_back("EPSFREE_TEST_VALUE", "17.5");
  std::vector<Stream> streams(1, Stream(1));
  std::vector<SimStatus> statuses(1);
  Eigen::MatrixXd x(3, 1);
  command_simulator(options)->simulate(toy_thetas(1), streams, x, statuses);
  EXPECT_EQ(x.col(0), Eigen::Vector3d(17.5, 2, 3));
}

TEST_F(CommandZoo, PassesParametersAndResultsInEveryWay) {
  const Eigen::MatrixXd thetas = toy_thetas(2);
  const SimulationResults expected = ThreadRunner(1).run({*toy_function(), thetas, 3});
  CommandOptions options = zoo_command("file", mark_);
  options.process.argv.push_back("{output}");
  options.output = CommandOutput::file;
  options.output_name = "result.csv";
  SimulationResults results = ThreadRunner(1).run({*command_simulator(options), thetas, 3});
  EXPECT_EQ(results.statistics, expected.statistics) << results.first_failure;

  // A program that gets {input} or standard input and hands it to the good one.
  const std::string zoo = EPSFREE_ZOO;
  options = zoo_command("", mark_);
  options.process.names = {"alpha", "beta"};
  options.process.argv = {
      "sh", "-c", "{{ read a b; read s; }} < $1; exec " + zoo + " good $s $a $b", "sh", "{input}"};
  options.input = CommandInput::file;
  options.input_format = CommandFormat::text;
  results = ThreadRunner(1).run({*command_simulator(options), thetas, 3});
  EXPECT_EQ(results.statistics, expected.statistics) << results.first_failure;

  options.input = CommandInput::standard_input;
  options.process.argv = {"sh", "-c", "read a b; read s; exec " + zoo + " good $s $a $b"};
  results = ThreadRunner(1).run({*command_simulator(options), thetas, 3});
  EXPECT_EQ(results.statistics, expected.statistics) << results.first_failure;

  options.input_format = CommandFormat::csv;
  options.process.argv = {
      "sh", "-c",
      "read n; test $n = alpha,beta,seed; IFS=,; read a b s; exec " + zoo + " good $s $a $b"};
  results = ThreadRunner(1).run({*command_simulator(options), thetas, 3});
  EXPECT_EQ(results.statistics, expected.statistics) << results.first_failure;

  // One that does not read its input does no harm.
  options.process.argv = {"sh", "-c", "exec 0<&-; sleep 0.05; echo 1 2 3"};
  results = ThreadRunner(1).run({*command_simulator(options), thetas, 3});
  EXPECT_EQ(results.num_ok(), 2) << results.first_failure;

  options = zoo_command("no-file", mark_);
  options.output = CommandOutput::file;
  const ZooOutcome outcome = simulate_once(*command_simulator(options));
  EXPECT_EQ(outcome.status, SimStatus::failed);
  EXPECT_CONTAINS(outcome.message, "output.txt");
}

TEST_F(CommandZoo, KeepsFailedRunsOnRequest) {
  TemporaryDirectory kept;
  CommandOptions options = zoo_command("", mark_);
  options.keep_failed = kept.path() + "/failed";
  options.max_kept = 3;
  options.process.argv = {"sh",     "-c", "echo a > trace; echo 1 2; echo why >&2; exit $1",
                          "sh",     "9",  "{seed}",
                          "{theta}"};
  {
    const SimulatorPtr simulator = command_simulator(options);
    const SimulationResults results = ThreadRunner(2).run({*simulator, toy_thetas(5), 3});
    EXPECT_EQ(results.counts[static_cast<std::size_t>(SimStatus::failed)], 5);
  }
  const auto count = std::distance(fs::directory_iterator(options.keep_failed), {});
  EXPECT_EQ(count, 3);
  for (const auto& entry : fs::directory_iterator(options.keep_failed)) {
    EXPECT_CONTAINS(entry.path().filename().string(), "seed-");
    const auto content = [&](const char* name) {
      std::ifstream file(entry.path() / name);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_EQ(content("trace"), "a\n");
    EXPECT_EQ(content("epsfree-stdout.txt"), "1 2\n");
    EXPECT_CONTAINS(content("epsfree-message.txt"), "why");
    EXPECT_CONTAINS(content("epsfree-command.txt"), "sh -c 'echo a");
  }
}

TEST_F(CommandZoo, LimitsTimeByTheMedian) {
  CommandOptions options = zoo_command("", mark_);
  options.process.time_limit_factor = 3;
  // The median is some milliseconds, so that the limit is its least, 0.1 s.
  options.process.argv = {"sh", "-c", "test $1 = 0 || sleep 30; echo 1 2 3", "sh", "{1}", "{2}"};
  const SimulatorPtr simulator = command_simulator(options);
  Eigen::MatrixXd thetas = Eigen::MatrixXd::Zero(2, 30);
  thetas(0, 25) = 1;
  const SimulationResults results =
      ThreadRunner(RunnerOptions{.num_threads = 1, .retries = 0}).run({*simulator, thetas});
  EXPECT_EQ(results.statuses[25], SimStatus::timeout);
  EXPECT_EQ(results.num_ok(), 29) << results.first_failure;
}

TEST_F(CommandZoo, SaysWhyAProgramCannotBeStarted) {
  CommandOptions options = zoo_command("good", mark_);
  options.process.argv[0] = "./no-such-program";
  EXPECT_CONTAINS(error_of(ErrorKind::input, [&] { command_simulator(options); }),
                  "does not exist");
  options.process.argv[0] = "no-such-program-anywhere";
  EXPECT_CONTAINS(error_of(ErrorKind::input, [&] { command_simulator(options); }),
                  "not on the PATH");
  const std::string script = scratch_.file("a-script");
  std::ofstream(script) << "echo 1 2 3\n";
  options.process.directory = scratch_.path();
  options.process.argv[0] = "./a-script";
  EXPECT_CONTAINS(error_of(ErrorKind::input, [&] { command_simulator(options); }), "chmod");
  options.process.argv[0] = "a-script";
  EXPECT_CONTAINS(error_of(ErrorKind::input, [&] { command_simulator(options); }), "./a-script");
  fs::permissions(script, fs::perms::owner_all);
  options.process.argv[0] = "./a-script";
  ZooOutcome outcome = simulate_once(*command_simulator(options));
  EXPECT_EQ(outcome.status, SimStatus::failed);
  EXPECT_CONTAINS(outcome.message, "#!");
  std::ofstream(script) << "#!/no/such/interpreter\n";
  outcome = simulate_once(*command_simulator(options));
  EXPECT_EQ(outcome.status, SimStatus::failed);
  EXPECT_CONTAINS(outcome.message, "No such file");
  std::ofstream(script) << "#!/bin/sh\necho 1 2 3\n";
  outcome = simulate_once(*command_simulator(options));
  EXPECT_EQ(outcome.status, SimStatus::ok) << outcome.message;
  fs::remove(script);
  options = zoo_command("good", mark_);
  options.scratch_directory = "/proc/no/such/place";
  EXPECT_EQ(ThreadRunner(1).run({*command_simulator(options), toy_thetas(1)}).num_ok(), 0);
}

}  // namespace
}  // namespace epsfree
