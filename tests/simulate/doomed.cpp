// A program that simulates until it is killed, for nursery_test.cpp: doomed KIND MODE SCRATCH MARK.
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "epsfree/process_simulators.hpp"
#include "epsfree/runner.hpp"

int main(int argc, char** argv) {
  if (argc < 5) return 64;
  using namespace epsfree;
  const std::string kind = argv[1], mode = argv[2];
  ProcessOptions process{.num_parameters = 2,
                         .num_statistics = 3,
                         .argv = {EPSFREE_ZOO, mode, "{seed}", "{theta}"},
                         .environment = {{"EPSFREE_TEST_MARK", argv[4]}},
                         .grace_seconds = 0.3};
  if (kind == "early") start_nursery();
  SimulatorPtr simulator;
  if (kind == "worker") {
    process.argv = {EPSFREE_ZOO, "worker", mode};
    simulator = worker_simulator({.process = process});
  } else {
    simulator = command_simulator({.process = process, .scratch_directory = argv[3]});
  }
  if ((kind == "forked" || kind == "idle") && ::fork() == 0) {
    // Holds all that the other has open, but for the output, whose end the test's reader waits for.
    ::close(STDOUT_FILENO);
    ::close(STDERR_FILENO);
    ::sleep(15);
    ::_exit(0);
  }
  if (kind == "idle") ::pause();
  if (kind == "exit") {
    // Ends in the middle of it, by itself.
    std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      std::exit(0);
    }).detach();
  }
  ThreadRunner(2).run({*simulator, -Eigen::MatrixXd::Ones(2, 10)});
  return 0;
}
