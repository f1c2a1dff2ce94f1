// How fast networks train, beside how fast plain matrix products are.
#pragma once

#include <string>
#include <vector>

#include "epsfree/mixture_density_network.hpp"

namespace epsfree {

/// A network of the paper's experiments.
struct TrainingShape {
  std::string name;
  Index context_dim;
  std::vector<int> hidden_units;
  Index target_dim;
  int num_components;
  bool variational;
};

/// Those that the project has figures for: Lotka-Volterra, M/G/1, Lotka-Volterra with prior, and
/// linear regression.
const std::vector<TrainingShape>& training_shapes();

/// Floating-point operations of one step's products: outputs, weights' gradients, inputs'
/// gradients. Nothing else is counted as work.
double flops_per_step(const TrainingShape& shape, int batch_size);

/// Normal targets and contexts that have nothing to do with each other.
Examples<float> random_examples(const TrainingShape& shape, Index count);
MixtureDensityNetwork<float> fresh_network(const TrainingShape& shape);

/// Makes `count` products of 100 x 80 x 50 in float on this thread.
void make_products(int count);
inline constexpr double kFlopsPerProduct = 2.0 * 100 * 80 * 50;

struct TrainingSpeed {
  TrainingShape shape;
  double flops_per_step = 0;
  double steps_per_second = 0;
  double gemm_flops = 0;     ///< a second, of the products made in turn with the training
  double share_of_gemm = 0;  ///< the training's rate of work divided by the products'
};

/// Steps of batch 100 on 2000 examples, for about so many seconds.
TrainingSpeed measure_training(const TrainingShape& shape, double seconds);

/// One point of how the cost of training grows.
struct TrainingCost {
  long num_steps = 0;
  Index num_parameters = 0;
  int batch_size = 0;
  double seconds = 0;
  /// seconds / (steps x parameters x batch size)
  double seconds_per_unit() const;
};

/// Steps, then parameters, then the batch size doubled twice each from one start.
std::vector<TrainingCost> measure_training_costs(double seconds);

}  // namespace epsfree
