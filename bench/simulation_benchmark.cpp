// How many simulations a second. items_per_second is the number to look at; the textbook loops
// stand beside the models they do the same work as.
#include <benchmark/benchmark.h>

#include <cmath>

#include "epsfree/models.hpp"
#include "epsfree/runner.hpp"
#include "models/lotka_volterra_statistics.hpp"
#include "models/textbook_gillespie.hpp"
#include "models/textbook_queue.hpp"

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
        runner.run(*simulator, thetas, ++seed, {.purpose = Purpose::simulation}, {});
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

void textbook_lotka_volterra(benchmark::State& state) {
  std::uint64_t index = 0;
  for (auto _ : state) {
    Stream stream(1, {.index = ++index});
    const auto run = textbook_gillespie({0.01, 0.5, 1.0, 0.01}, stream);
    if (!run) continue;
    LotkaVolterraSeries series;
    std::copy_n(run->predators.begin(), kLotkaVolterraRecords, series.predators);
    std::copy_n(run->prey.begin(), kLotkaVolterraRecords, series.prey);
    benchmark::DoNotOptimize(lotka_volterra_statistics(series));
  }
  state.SetItemsProcessed(state.iterations());
}

void textbook_mg1_queue(benchmark::State& state) {
  std::uint64_t index = 0;
  for (auto _ : state) {
    Stream stream(1, {.index = ++index});
    benchmark::DoNotOptimize(textbook_queue(1.0, 5.0, 0.2, stream));
  }
  state.SetItemsProcessed(state.iterations());
}

void threads(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(2)->ArgName("threads")->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(textbook_lotka_volterra);
BENCHMARK_CAPTURE(at_truth, lotka_volterra, "lotka-volterra")->Apply(threads);
BENCHMARK_CAPTURE(under_prior, lotka_volterra, "lotka-volterra")->Apply(threads);
BENCHMARK(textbook_mg1_queue);
BENCHMARK_CAPTURE(at_truth, mg1_queue, "mg1-queue")->Apply(threads);
BENCHMARK_CAPTURE(under_prior, mg1_queue, "mg1-queue")->Apply(threads);
BENCHMARK_CAPTURE(under_prior, linear_regression, "linear-regression")->Apply(threads);
BENCHMARK_CAPTURE(under_prior, mixture, "mixture")->Apply(threads);

}  // namespace
}  // namespace epsfree
