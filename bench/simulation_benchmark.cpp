// How many simulations a second. items_per_second is the number to look at; the textbook loops
// stand beside the models they do the same work as.
#include <benchmark/benchmark.h>

#include "bench/simulation_speed.hpp"
#include "epsfree/models.hpp"
#include "epsfree/runner.hpp"

namespace epsfree {
namespace {

constexpr Index kSimulations = 4096;

/// One argument: the number of threads.
void run(benchmark::State& state, const std::string& name, const Eigen::MatrixXd& thetas) {
  const SimulatorPtr simulator = model(name)->simulator();
  ThreadRunner runner(static_cast<int>(state.range(0)));
  std::uint64_t seed = 0;
  long ok = 0;
  for (auto _ : state) {
    const SimulationResults results =
        runner.run({*simulator, thetas, ++seed, {.purpose = Purpose::simulation}});
    ok += results.num_ok();
    benchmark::DoNotOptimize(results.statistics.data());
  }
  state.SetItemsProcessed(state.iterations() * thetas.cols());
  state.counters["ok"] =
      static_cast<double>(ok) / static_cast<double>(state.iterations() * thetas.cols());
}

void at_truth(benchmark::State& state, const std::string& name) {
  run(state, name, model(name)->default_truth().replicate(1, kSimulations));
}

void under_prior(benchmark::State& state, const std::string& name) {
  Stream stream(1, {.purpose = Purpose::parameters});
  run(state, name, model(name)->prior()->sample(kSimulations, stream));
}

void textbook(benchmark::State& state, const std::string& name) {
  std::uint64_t index = 0;
  for (auto _ : state) benchmark::DoNotOptimize(simulate_by_the_book(name, 1, ++index));
  state.SetItemsProcessed(state.iterations());
}

void threads(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(2)->ArgName("threads")->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(textbook, lotka_volterra, "lotka-volterra");
BENCHMARK_CAPTURE(at_truth, lotka_volterra, "lotka-volterra")->Apply(threads);
BENCHMARK_CAPTURE(under_prior, lotka_volterra, "lotka-volterra")->Apply(threads);
BENCHMARK_CAPTURE(textbook, mg1_queue, "mg1-queue");
BENCHMARK_CAPTURE(at_truth, mg1_queue, "mg1-queue")->Apply(threads);
BENCHMARK_CAPTURE(under_prior, mg1_queue, "mg1-queue")->Apply(threads);
BENCHMARK_CAPTURE(under_prior, linear_regression, "linear-regression")->Apply(threads);
BENCHMARK_CAPTURE(under_prior, mixture, "mixture")->Apply(threads);

}  // namespace
}  // namespace epsfree
