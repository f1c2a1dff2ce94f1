#include "bench/training_speed.hpp"

#include <functional>

#include "base/gemm.hpp"
#include "bench/shortest_turns.hpp"
#include "epsfree/training.hpp"

namespace epsfree {
namespace {

constexpr int kBatch = 100;
constexpr Index kExamples = 2000;
// Some four milliseconds of either, so that both are interrupted equally often.
constexpr int kProductsPerTurn = 500;
constexpr long kFlopsPerTurn = 200000000;

}  // namespace

const std::vector<TrainingShape>& training_shapes() {
  static const std::vector<TrainingShape> shapes = {
      {"lotka-volterra", 9, {50}, 4, 1, true},
      {"mg1-queue", 5, {50}, 3, 8, true},
      {"lotka-volterra with prior", 9, {50, 50}, 4, 1, false},
      {"linear-regression", 10, {50}, 6, 1, true}};
  return shapes;
}

double flops_per_step(const TrainingShape& shape, int batch_size) {
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
  return 2.0 * batch_size * products * (shape.variational ? 2 : 1);
}

Examples<float> random_examples(const TrainingShape& shape, Index count) {
  Stream stream(1);
  Examples<float> examples;
  const auto fill = [&](Eigen::MatrixXf& values, Index rows) {
    values.resize(rows, count);
    stream.fill_normal(std::span<float>(values.data(), static_cast<std::size_t>(values.size())));
  };
  fill(examples.targets, shape.target_dim);
  fill(examples.contexts, shape.context_dim);
  return examples;
}

MixtureDensityNetwork<float> fresh_network(const TrainingShape& shape) {
  Stream init(2);
  return MixtureDensityNetwork<float>(shape.context_dim, shape.target_dim,
                                      {.hidden_units = shape.hidden_units,
                                       .num_components = shape.num_components,
                                       .variational = shape.variational},
                                      init);
}

void make_products(int count) {
  constexpr Index m = 100, n = 80, k = 50;
  const SingleThreadedGemm single;
  const std::vector<float> a(m * k, 0.5f), b(k * n, 0.25f);
  std::vector<float> c(m * n);
  for (int i = 0; i < count; ++i) {
    gemm(m, n, k, {a.data(), m}, {b.data(), k}, 0.0f, c.data(), m);
  }
}

TrainingSpeed measure_training(const TrainingShape& shape, double seconds) {
  const Examples<float> examples = random_examples(shape, kExamples);
  MixtureDensityNetwork<float> network = fresh_network(shape);
  TrainingSpeed speed;
  speed.shape = shape;
  speed.flops_per_step = flops_per_step(shape, kBatch);
  const long steps = static_cast<long>(kFlopsPerTurn / speed.flops_per_step) + 1;
  const TrainingOptions options{.num_steps = steps, .batch_size = kBatch};
  const std::vector<double> shortest =
      shortest_turns(seconds, {[] { make_products(kProductsPerTurn); },
                               [&] { train(network, examples, options, Stream(3), Stream(4)); }});
  speed.gemm_flops = kProductsPerTurn * kFlopsPerProduct / shortest[0];
  speed.steps_per_second = static_cast<double>(steps) / shortest[1];
  speed.share_of_gemm = speed.steps_per_second * speed.flops_per_step / speed.gemm_flops;
  return speed;
}

double TrainingCost::seconds_per_unit() const {
  return seconds / (static_cast<double>(num_steps) * static_cast<double>(num_parameters) *
                    static_cast<double>(batch_size));
}

std::vector<TrainingCost> measure_training_costs(double seconds) {
  struct Point {
    long num_steps;
    int hidden_units, batch_size;
  };
  constexpr Point kPoints[] = {{200, 50, 100},  {400, 50, 100}, {800, 50, 100}, {200, 100, 100},
                               {200, 200, 100}, {200, 50, 200}, {200, 50, 400}};
  std::vector<TrainingCost> costs;
  std::vector<Examples<float>> examples;
  std::vector<MixtureDensityNetwork<float>> networks;
  std::vector<std::function<void()>> tasks;
  networks.reserve(std::size(kPoints));
  examples.reserve(std::size(kPoints));
  for (const Point& point : kPoints) {
    TrainingShape shape = training_shapes().front();
    shape.hidden_units = {point.hidden_units};
    examples.push_back(random_examples(shape, kExamples));
    networks.push_back(fresh_network(shape));
    costs.push_back({point.num_steps, static_cast<Index>(networks.back().parameters().size()),
                     point.batch_size, 0});
    tasks.emplace_back([&network = networks.back(), &data = examples.back(), point] {
      train(network, data, {.num_steps = point.num_steps, .batch_size = point.batch_size},
            Stream(3), Stream(4));
    });
  }
  const std::vector<double> shortest = shortest_turns(seconds, tasks);
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i].seconds = shortest[i];
  return costs;
}

}  // namespace epsfree
