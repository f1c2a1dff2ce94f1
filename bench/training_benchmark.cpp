// Training speed: steps per second, GFLOP/s, and their share of what one thread reaches in a plain
// product of 100x80x50, measured right before. Only products are counted as work.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "base/cpu.hpp"
#include "base/gemm.hpp"
#include "base/stopwatch.hpp"
#include "bench/training_speed.hpp"
#include "epsfree/training.hpp"

namespace epsfree {
namespace {

constexpr int kBatch = 100;

const TrainingShape& shape_of(std::size_t i) { return training_shapes().at(i); }

// FLOP/s of products on one thread: the best of many short runs.
double gemm_rate() {
  double best = 1;
  for (int run = 0; run < 30; ++run) {
    const Stopwatch stopwatch;
    make_products(100);
    best = std::min(best, stopwatch.seconds() / 100);
  }
  return kFlopsPerProduct / best;
}

void train_steps(benchmark::State& state, std::size_t index) {
  const TrainingShape& shape = shape_of(index);
  const double peak = gemm_rate();
  const Examples<float> examples = random_examples(shape, 2000);
  auto network = fresh_network(shape);
  const TrainingOptions options{.num_steps = 2000, .batch_size = kBatch};
  for (auto _ : state) train(network, examples, options, Stream(3), Stream(4));
  const double steps = static_cast<double>(options.num_steps * state.iterations());
  const double flops = flops_per_step(shape, kBatch);
  using benchmark::Counter;
  state.counters["steps/s"] = Counter(steps, Counter::kIsRate);
  state.counters["GFLOP/s"] = Counter(steps * flops * 1e-9, Counter::kIsRate);
  state.counters["share_of_gemm"] = Counter(steps * flops / peak, Counter::kIsRate);
  state.counters["gemm_GFLOP/s"] = peak * 1e-9;
  state.counters["MFLOP/step"] = flops * 1e-6;
  state.SetLabel(std::string(gemm_backend()) + ", kernels " + to_string(best_isa()));
}

BENCHMARK_CAPTURE(train_steps, lotka_volterra_svi, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(train_steps, mg1_queue_svi, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(train_steps, lotka_volterra_with_prior, 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(train_steps, linear_regression_svi, 3)->Unit(benchmark::kMillisecond);

// All training of the paper's recipe for Lotka-Volterra: four rounds of 10k steps on 500 examples,
// then 100k steps on 2000.
void lotka_volterra_recipe(benchmark::State& state) {
  const TrainingShape& shape = shape_of(0);
  const Examples<float> round = random_examples(shape, 500);
  const Examples<float> last = random_examples(shape, 2000);
  const double peak = gemm_rate();
  long steps = 0;
  for (auto _ : state) {
    auto network = fresh_network(shape);
    for (unsigned i = 0; i < 4; ++i) {
      steps += train(network, round, {.num_steps = 10000}, Stream(3 + i), Stream(9 + i)).num_steps;
    }
    steps += train(network, last, {.num_steps = 100000}, Stream(7), Stream(13)).num_steps;
  }
  const double work = static_cast<double>(steps) * flops_per_step(shape, kBatch);
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
