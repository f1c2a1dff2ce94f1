// Training speed: steps per second, GFLOP/s, and their share of what one thread reaches in a plain
// product of 100x80x50, measured right before. Only products are counted as work.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/cpu.hpp"
#include "epsfree/mixture_density_network.hpp"
#include "epsfree/training.hpp"
#include "nn/gemm.hpp"

namespace epsfree {
namespace {

constexpr int kBatch = 100;

struct Shape {
  Index context_dim;
  std::vector<int> hidden_units;
  Index target_dim;
  int num_components;
  bool variational;
};
const Shape kLotkaVolterra{9, {50}, 4, 1, true};
const Shape kQueue{5, {50}, 3, 8, true};
const Shape kLotkaVolterraWithPrior{9, {50, 50}, 4, 1, false};
const Shape kLinearRegression{10, {50}, 6, 1, true};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Floating-point operations of one step's products: outputs, weights' gradients, inputs' gradients.
double flops_per_step(const Shape& shape) {
  std::vector<int> units = shape.hidden_units;
  const Index D = shape.target_dim, K = shape.num_components;
  units.push_back(static_cast<int>((K > 1 ? K : 0) + K * (2 * D + D * (D - 1) / 2)));
  double products = 0;
  Index inputs = shape.context_dim;
  for (std::size_t l = 0; l < units.size(); ++l) {
    const double outputs = units[l];
    products += 2 * static_cast<double>(inputs + 1) * outputs;
    if (l > 0) products += static_cast<double>(inputs) * outputs;
    inputs = units[l];
  }
  return 2.0 * kBatch * products * (shape.variational ? 2 : 1);
}

// FLOP/s of a product C = A B of 100x80x50 on one thread: the best of many short runs.
double gemm_rate() {
  pin_gemm();
  const Index m = 100, n = 80, k = 50;
  std::vector<float> a(m * k, 0.5f), b(k * n, 0.25f), c(m * n);
  double best = 1;
  for (int run = 0; run < 30; ++run) {
    const double start = seconds_now();
    for (int i = 0; i < 100; ++i) {
      gemm(m, n, k, {a.data(), m}, {b.data(), k}, 0.0f, c.data(), m);
      benchmark::DoNotOptimize(c.data());
    }
    best = std::min(best, (seconds_now() - start) / 100);
  }
  return 2.0 * m * n * k / best;
}

Examples<float> examples_for(const Shape& shape, Index count) {
  Stream stream(1);
  Examples<float> examples;
  examples.targets.resize(shape.target_dim, count);
  examples.contexts.resize(shape.context_dim, count);
  stream.fill_normal(std::span<float>(examples.targets.data(), examples.targets.size()));
  stream.fill_normal(std::span<float>(examples.contexts.data(), examples.contexts.size()));
  return examples;
}

MixtureDensityNetwork<float> network_for(const Shape& shape) {
  Stream init(2);
  return MixtureDensityNetwork<float>(shape.context_dim, shape.target_dim,
                                      {.hidden_units = shape.hidden_units,
                                       .num_components = shape.num_components,
                                       .variational = shape.variational},
                                      init);
}

void train_steps(benchmark::State& state, const Shape& shape) {
  const double peak = gemm_rate();
  const Examples<float> examples = examples_for(shape, 2000);
  auto network = network_for(shape);
  const TrainingOptions options{.num_steps = 2000, .batch_size = kBatch};
  for (auto _ : state) train(network, examples, options, Stream(3), Stream(4));
  const double steps = static_cast<double>(options.num_steps * state.iterations());
  const double flops = flops_per_step(shape);
  using benchmark::Counter;
  state.counters["steps/s"] = Counter(steps, Counter::kIsRate);
  state.counters["GFLOP/s"] = Counter(steps * flops * 1e-9, Counter::kIsRate);
  state.counters["share_of_gemm"] = Counter(steps * flops / peak, Counter::kIsRate);
  state.counters["gemm_GFLOP/s"] = peak * 1e-9;
  state.counters["MFLOP/step"] = flops * 1e-6;
  state.SetLabel(std::string(gemm_backend()) + ", kernels " + to_string(best_isa()));
}

BENCHMARK_CAPTURE(train_steps, lotka_volterra_svi, kLotkaVolterra)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(train_steps, mg1_queue_svi, kQueue)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(train_steps, lotka_volterra_with_prior, kLotkaVolterraWithPrior)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(train_steps, linear_regression_svi, kLinearRegression)
    ->Unit(benchmark::kMillisecond);

// All training of the paper's recipe for Lotka-Volterra: four rounds of 10k steps on 500 examples,
// then 100k steps on 2000.
void lotka_volterra_recipe(benchmark::State& state) {
  const Examples<float> round = examples_for(kLotkaVolterra, 500);
  const Examples<float> last = examples_for(kLotkaVolterra, 2000);
  const double peak = gemm_rate();
  long steps = 0;
  for (auto _ : state) {
    auto network = network_for(kLotkaVolterra);
    for (unsigned i = 0; i < 4; ++i) {
      steps += train(network, round, {.num_steps = 10000}, Stream(3 + i), Stream(9 + i)).num_steps;
    }
    steps += train(network, last, {.num_steps = 100000}, Stream(7), Stream(13)).num_steps;
  }
  const double work = static_cast<double>(steps) * flops_per_step(kLotkaVolterra);
  using benchmark::Counter;
  state.counters["steps"] = static_cast<double>(steps) / static_cast<double>(state.iterations());
  state.counters["steps/s"] = Counter(static_cast<double>(steps), Counter::kIsRate);
  state.counters["GFLOP/s"] = Counter(work * 1e-9, Counter::kIsRate);
  state.counters["share_of_gemm"] = Counter(work / peak, Counter::kIsRate);
}
BENCHMARK(lotka_volterra_recipe)->Iterations(1)->Unit(benchmark::kSecond);

// What the parts of a step cost.
void fill_normal(benchmark::State& state) {
  std::vector<float> values(6400);
  Stream stream(1);
  for (auto _ : state) {
    stream.fill_normal(values);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<long>(values.size()));
}
BENCHMARK(fill_normal);

}  // namespace
}  // namespace epsfree
