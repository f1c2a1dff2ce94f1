// What it costs to simulate with another process. items_per_second is the number to look at: its
// inverse is the overhead of a simulation, since the simulator itself takes nanoseconds. At most
// 25 us for a worker, 2 ms for a command, of which `spawn_alone` is the part that is not ours.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "epsfree/process_simulators.hpp"
#include "epsfree/runner.hpp"

namespace epsfree {
namespace {

/// Nine statistics of four parameters, as Lotka-Volterra has.
constexpr Index kParameters = 4, kStatistics = 9;

ProcessOptions process(std::vector<std::string> argv) {
  return {.num_parameters = kParameters, .num_statistics = kStatistics, .argv = std::move(argv)};
}

void run(benchmark::State& state, const Simulator& simulator, Index count, Index chunk) {
  Eigen::MatrixXd thetas(kParameters, count);
  Stream stream(1);
  for (double& value : thetas.reshaped()) value = stream.normal();
  ThreadRunner runner(
      RunnerOptions{.num_threads = static_cast<int>(state.range(0)), .chunk = chunk});
  std::uint64_t seed = 0;
  // Workers are started, and asked for more at a time once it is known how fast they are.
  runner.run({simulator, thetas.leftCols(100), seed});
  for (auto _ : state) {
    const SimulationResults results = runner.run({simulator, thetas, ++seed});
    if (results.num_ok() != count) state.SkipWithError(results.first_failure.c_str());
  }
  state.SetItemsProcessed(state.iterations() * count);
}

void worker(benchmark::State& state, Index chunk) {
  const SimulatorPtr simulator = worker_simulator({.process = process({EPSFREE_BENCH_WORKER})});
  run(state, *simulator, 20000, chunk);
}

void command(benchmark::State& state) {
  const SimulatorPtr simulator =
      command_simulator({.process = process({EPSFREE_BENCH_WORKER, "{seed}", "{theta}"})});
  run(state, *simulator, 200, 0);
}

/// What a command costs without us: the same program, its output thrown away.
void spawn_alone(benchmark::State& state) {
  std::vector<std::string> words = {EPSFREE_BENCH_WORKER, "7", "0.1", "0.2", "0.3", "0.4"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  for (auto _ : state) {
    for (int i = 0; i < 200; ++i) {
      pid_t pid = -1;
      int status = 0;
      if (::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0 ||
          ::waitpid(pid, &status, 0) != pid || status != 0) {
        state.SkipWithError("posix_spawn");
      }
    }
  }
  posix_spawn_file_actions_destroy(&actions);
  state.SetItemsProcessed(state.iterations() * 200);
}

void threads(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(2)->ArgName("threads")->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(worker, as_it_comes, 0)->Apply(threads);
BENCHMARK_CAPTURE(worker, one_at_a_time, 1)->Apply(threads);
BENCHMARK(spawn_alone)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(command)->Apply(threads);

}  // namespace
}  // namespace epsfree
