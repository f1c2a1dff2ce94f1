// Every gradient of the mixture density network against central finite differences in double.
#include <gtest/gtest.h>

#include <cmath>

#include "random_problem.hpp"

namespace epsfree {
namespace {

struct Case {
  int num_components;
  Index target_dim;
  bool variational;
  Activation activation;
  std::vector<int> hidden_units;
};

std::string describe(const Case& c) {
  std::string text = "K" + std::to_string(c.num_components) + "_D" + std::to_string(c.target_dim) +
                     (c.variational ? "_svi_" : "_plain_") + to_string(c.activation);
  for (const int units : c.hidden_units) text += "_" + std::to_string(units);
  return text;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (int K = 1; K <= 8; ++K) {
    for (Index D = 1; D <= 6; ++D) {
      for (const bool variational : {false, true}) {
        // Depth and activation vary along, so that every value of each meets every K and many D.
        const int depth = static_cast<int>((K + D) % 3);
        const Activation activation = (K + D / 2) % 2 == 0 ? Activation::tanh : Activation::relu;
        std::vector<int> hidden(static_cast<std::size_t>(depth), 5);
        if (depth == 2) hidden[1] = 4;
        cases.push_back({K, D, variational, activation, hidden});
      }
    }
  }
  return cases;
}

// 5th-order differences would not help relu: a step across a kink is wrong at any order. So the
// step is small, and random inputs do not come that close to a kink.
double difference(double h, double& x, const std::function<double()>& value) {
  const double middle = x;
  x = middle + h;
  const double above = value();
  x = middle - h;
  const double below = value();
  x = middle;
  return (above - below) / (2 * h);
}

void expect_close(double derived, double differenced, double scale, const std::string& what) {
  // Relative to the entry, but to no less than a typical entry: an accidental near-zero has no
  // relative precision to speak of.
  EXPECT_NEAR(derived, differenced, 1e-5 * std::max(std::abs(differenced), 1e-2 * scale)) << what;
}

class Gradient : public testing::TestWithParam<Case> {
 protected:
  static constexpr Index kContextDim = 3;
  static constexpr Index kNumExamples = 21;  // one full set of lanes and a bit
};

// Put in to see it fail: the KL without its half; d_upper with the wrong sign; the ratio of the
// noise without its half; d_squares without the factor 2; responsibilities without the mixing
// weights.
TEST_P(Gradient, OfTheLossWithFrozenNoise) {
  const Case& c = GetParam();
  Stream stream(100);
  const NetworkOptions options{.hidden_units = c.hidden_units,
                               .activation = c.activation,
                               .num_components = c.num_components,
                               .variational = c.variational,
                               .weight_precision = 0.7,
                               .initial_log_std = -1.5};
  auto network = random_network<double>(kContextDim, c.target_dim, options, stream);
  Examples<double> examples =
      random_examples<double>(kContextDim, c.target_dim, kNumExamples, stream);
  examples.weights.resize(kNumExamples);
  for (double& weight : examples.weights) weight = stream.uniform(0, 2);
  const std::vector<Index> batch = first_indices(kNumExamples);

  std::vector<double> gradient(network.parameters().size());
  std::vector<double> unused(gradient.size());
  const Stream noise(7);
  const auto loss = [&](std::vector<double>& into) {
    Stream same = noise;
    return network.loss(examples, batch, 40, same, into);
  };
  loss(gradient);
  double scale = 0;
  for (const double g : gradient) scale += g * g;
  scale = std::sqrt(scale / static_cast<double>(gradient.size()));
  // Every parameter of the small networks, every third or so of the large ones.
  const std::size_t stride = 1 + gradient.size() / 150;
  for (std::size_t i = 0; i < gradient.size(); i += stride) {
    const double h = 1e-5;
    const double expected = difference(h, network.parameters()[i], [&] { return loss(unused); });
    expect_close(gradient[i], expected, scale, "parameter " + std::to_string(i));
  }
}

TEST_P(Gradient, OfLogProbsToTargetsAndContexts) {
  const Case& c = GetParam();
  Stream stream(101);
  const NetworkOptions options{.hidden_units = c.hidden_units,
                               .activation = c.activation,
                               .num_components = c.num_components,
                               .variational = c.variational};
  const auto network = random_network<double>(kContextDim, c.target_dim, options, stream);
  Examples<double> examples =
      random_examples<double>(kContextDim, c.target_dim, kNumExamples, stream);
  Eigen::MatrixXd d_targets, d_contexts;
  network.input_gradients(examples.targets, examples.contexts, d_targets, d_contexts);
  const auto check = [&](Eigen::MatrixXd& inputs, const Eigen::MatrixXd& gradient) {
    const double scale = gradient.norm() / std::sqrt(static_cast<double>(gradient.size()));
    for (Index i = 0; i < inputs.size(); ++i) {
      const double expected = difference(1e-5, inputs.data()[i], [&] {
        return network.log_probs(examples.targets, examples.contexts).sum();
      });
      expect_close(gradient.data()[i], expected, scale, "input " + std::to_string(i));
    }
  };
  check(examples.targets, d_targets);
  check(examples.contexts, d_contexts);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Gradient, testing::ValuesIn(all_cases()),
                         [](const auto& c) { return describe(c.param); });

// Outside the clamp the density must not depend on the log-diagonal, nor its gradient.
TEST(GradientClamp, VanishesOutside) {
  Stream stream(3);
  const NetworkOptions options{.hidden_units = {}, .variational = false};
  MixtureDensityNetwork<double> network(1, 1, options, stream);
  // Outputs: mean (weight, bias), log-diagonal (weight, bias).
  for (double& parameter : network.parameters()) parameter = 0;
  Examples<double> examples = random_examples<double>(1, 1, 4, stream);
  std::vector<double> gradient(4);
  for (const double log_diagonal : {-15.5, 15.5}) {
    network.parameters()[3] = log_diagonal;
    const double loss = network.loss(examples, first_indices(4), 4, stream, gradient);
    EXPECT_EQ(gradient[2], 0);
    EXPECT_EQ(gradient[3], 0);
    network.parameters()[3] *= 20;
    EXPECT_EQ(network.loss(examples, first_indices(4), 4, stream, gradient), loss);
  }
}

}  // namespace
}  // namespace epsfree
