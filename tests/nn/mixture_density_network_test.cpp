#include "epsfree/mixture_density_network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "epsfree/error.hpp"
#include "random_problem.hpp"

namespace epsfree {
namespace {

NetworkOptions shape(int num_components, bool variational) {
  return {.hidden_units = {6, 5}, .num_components = num_components, .variational = variational};
}

// The kernel against the mixture written by another room, over more rows than one pass takes.
TEST(MixtureDensityNetwork, LogProbsAreThoseOfTheMixture) {
  for (const int K : {1, 3}) {
    for (const Index count : {1, 15, 16, 17, 600}) {
      Stream stream(1);
      const auto network = random_network<double>(4, 3, shape(K, true), stream);
      const Examples<double> examples = random_examples<double>(4, 3, count, stream);
      const Eigen::VectorXd log_probs = network.log_probs(examples.targets, examples.contexts);
      for (Index i = 0; i < count; ++i) {
        const GaussianMixture mixture = network.mixture_at(examples.contexts.col(i));
        ASSERT_EQ(mixture.num_components(), K);
        ASSERT_NEAR(log_probs[i], mixture.log_prob(examples.targets.col(i)),
                    1e-11 * (1 + std::abs(log_probs[i])));
      }
    }
  }
}

// The larger shape's products are made by Kernels::product where there is one.
TEST(MixtureDensityNetwork, FloatAgreesWithDouble) {
  for (const auto& [variational, hidden_units] :
       {std::pair(false, std::vector{6, 5}), {true, {6, 5}}, {false, {30, 40}}}) {
    Stream stream(2);
    NetworkOptions options = shape(3, variational);
    options.hidden_units = hidden_units;
    auto wide = random_network<double>(4, 3, options, stream);
    auto narrow = random_network<float>(4, 3, options, stream);
    for (std::size_t i = 0; i < wide.parameters().size(); ++i) {
      narrow.parameters()[i] = static_cast<float>(wide.parameters()[i]);
    }
    const Examples<double> examples = random_examples<double>(4, 3, 100, stream);
    Examples<float> same;
    same.targets = examples.targets.cast<float>();
    same.contexts = examples.contexts.cast<float>();
    const Eigen::VectorXf a = narrow.log_probs(same.targets, same.contexts);
    const Eigen::VectorXd b = wide.log_probs(examples.targets, examples.contexts);
    for (Index i = 0; i < 100; ++i) EXPECT_NEAR(a[i], b[i], 2e-5 * (1 + std::abs(b[i])));
    if (variational) continue;  // the two kinds of noise differ
    std::vector<float> narrow_gradient(narrow.parameters().size());
    std::vector<double> wide_gradient(wide.parameters().size());
    const std::vector<Index> batch = first_indices(100);
    const float narrow_loss = narrow.loss(same, batch, 100, stream, narrow_gradient);
    const double wide_loss = wide.loss(examples, batch, 100, stream, wide_gradient);
    EXPECT_NEAR(narrow_loss, wide_loss, 1e-5 * std::abs(wide_loss));
    double scale = 0;
    for (const double g : wide_gradient) scale = std::max(scale, std::abs(g));
    for (std::size_t i = 0; i < wide_gradient.size(); ++i) {
      EXPECT_NEAR(narrow_gradient[i], wide_gradient[i], 1e-4 * scale);
    }
  }
}

// Along random directions, for the means' half of the parameters and for the log variances'. Both
// losses see the same noise. Mutation seen to fail: the products' squares without squaring.
TEST(MixtureDensityNetwork, FloatGradientOfALargerVariationalNetwork) {
  Stream stream(12);
  NetworkOptions options = shape(3, true);
  options.hidden_units = {30, 40};
  auto network = random_network<float>(4, 3, options, stream);
  const Examples<float> examples = random_examples<float>(4, 3, 100, stream);
  const std::vector<Index> batch = first_indices(100);
  const std::vector<float> start(network.parameters().begin(), network.parameters().end());
  std::vector<float> gradient(start.size()), ignored(start.size());
  const auto loss_at = [&](std::span<const float> parameters, std::vector<float>& into) {
    std::copy(parameters.begin(), parameters.end(), network.parameters().begin());
    Stream noise(13);
    return static_cast<double>(network.loss(examples, batch, 100, noise, into));
  };
  loss_at(start, gradient);
  for (const std::size_t half : {0, 1}) {
    // Each layer apart, so that none hides behind another.
    for (const auto& [first, last] : {std::pair(0, 150), {150, 1390}, {1390, 2620}}) {
      std::vector<float> up = start, down = start;
      double expected = 0, norm = 0;
      for (int i = first; i < last; ++i) {
        const std::size_t at = half * start.size() / 2 + static_cast<std::size_t>(i);
        norm += static_cast<double>(gradient[at]) * static_cast<double>(gradient[at]);
      }
      for (int i = first; i < last; ++i) {  // downhill, where the loss changes most
        const std::size_t at = half * start.size() / 2 + static_cast<std::size_t>(i);
        const float step = static_cast<float>(0.01 * gradient[at] / std::sqrt(norm));
        up[at] += step;
        down[at] -= step;
        expected += static_cast<double>(gradient[at]) * static_cast<double>(up[at] - down[at]);
      }
      EXPECT_NEAR(loss_at(up, ignored) - loss_at(down, ignored), expected, 0.02 * expected)
          << half << " " << first;
    }
  }
  ASSERT_EQ(start.size(), 2u * 2620u);
}

// With K = 1, no hidden layer and one dimension everything can be written out by hand.
TEST(MixtureDensityNetwork, LossByHand) {
  Stream stream(3);
  const NetworkOptions options{.hidden_units = {},
                               .variational = true,
                               .weight_precision = 0.5,
                               .initial_log_std = -40 / 2.0};
  MixtureDensityNetwork<double> network(1, 1, options, stream);
  ASSERT_EQ(network.parameters().size(), 8u);  // mean: weight, bias; log U: weight, bias; twice
  const double w = 0.7, b = -0.2, v = 0.1, c = 0.3;
  const double means[] = {w, b, v, c};
  for (std::size_t i = 0; i < 4; ++i) network.parameters()[i] = means[i];
  // Log variances of -40: noise of e^-20, so the loss is that of the means.
  Examples<double> examples;
  examples.targets = Eigen::MatrixXd{{0.4, -1.0}};
  examples.contexts = Eigen::MatrixXd{{1.5, 0.5}};
  examples.weights = Eigen::Vector2d(1, 3);
  double expected = 0;
  for (Index i = 0; i < 2; ++i) {
    const double x = examples.contexts(0, i);
    const double log_u = v * x + c;
    const double z = std::exp(log_u) * (examples.targets(0, i) - (w * x + b));
    expected -= examples.weights[i] * (log_u - 0.5 * z * z - 0.5 * std::log(2 * M_PI)) / 2;
  }
  double kl = 0;
  for (const double m : means) {
    kl += 0.5 * (0.5 * (m * m + std::exp(-40.0)) - 1 - std::log(0.5 * std::exp(-40.0)));
  }
  std::vector<double> gradient(8);
  EXPECT_NEAR(network.loss(examples, first_indices(2), 10, stream, gradient), expected + kl / 10,
              1e-7);
}

// The variance of an activation under the noise is that of appendix D.
// Mutation that fails it: the noise times the variance instead of its root.
TEST(MixtureDensityNetwork, NoiseHasTheVarianceOfTheWeights) {
  Stream stream(4);
  const NetworkOptions options{.hidden_units = {}, .variational = true, .weight_precision = 1e-9};
  MixtureDensityNetwork<double> network(1, 1, options, stream);
  const auto parameters = network.parameters();
  // Mean and log U zero with certainty but for the mean's weight and bias: variances 0.09 and 0.04.
  for (std::size_t i = 0; i < 8; ++i) parameters[i] = i < 4 ? 0 : -60;
  parameters[4] = std::log(0.09);
  parameters[5] = std::log(0.04);
  Examples<double> examples;
  examples.targets.setZero(1, 2000);
  examples.contexts.setConstant(1, 2000, 2.0);
  std::vector<double> gradient(8);
  const double draws = 20 * 2000;
  double mean = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    mean += network.loss(examples, first_indices(2000), 1000000000, stream, gradient) / 20;
  }
  // The KL, divided by 1e9, is nothing. E[-log q] = log(2 pi) / 2 + E[m^2] / 2 with m ~ N(0, 0.09 *
  // 4 + 0.04).
  const double variance = 0.40;
  const double standard_error = 0.5 * std::sqrt(2.0) * variance / std::sqrt(draws);
  EXPECT_NEAR(mean, 0.5 * std::log(2 * M_PI) + 0.5 * variance, 5 * standard_error + 1e-6);
}

TEST(MixtureDensityNetwork, WeightZeroIsIgnoredAndTwoIsTwice) {
  for (const bool variational : {false, true}) {
    Stream stream(5);
    auto network = random_network<double>(2, 2, shape(2, variational), stream);
    if (variational) {  // no noise to speak of: batches of different size draw different noise
      const auto parameters = network.parameters();
      for (std::size_t i = parameters.size() / 2; i < parameters.size(); ++i) parameters[i] = -60;
    }
    Examples<double> examples = random_examples<double>(2, 2, 20, stream);
    const auto data_loss = [&](std::vector<Index> batch, std::vector<double>& gradient) {
      gradient.assign(network.parameters().size(), 0);
      const double loss = network.loss(examples, batch, 1000000000, stream, gradient);
      for (double& g : gradient) g *= static_cast<double>(batch.size());
      return loss * static_cast<double>(batch.size());
    };
    std::vector<double> twice, weighted;
    const double expected = data_loss({0, 0, 1, 2}, twice);
    examples.weights.setOnes(20);
    examples.weights[0] = 2;
    examples.weights[3] = 0;
    examples.targets.col(3).setConstant(std::nan(""));
    examples.contexts.col(3).setConstant(std::nan(""));
    EXPECT_NEAR(data_loss({0, 1, 2, 3}, weighted), expected, 1e-6);
    for (std::size_t i = 0; i < network.parameters().size() / (variational ? 2 : 1); ++i) {
      EXPECT_NEAR(weighted[i], twice[i], 1e-6);
    }
  }
}

TEST(MixtureDensityNetwork, ParametersAndOptionsAreTheWholeState) {
  for (const bool variational : {false, true}) {
    Stream stream(6);
    auto network = random_network<float>(3, 2, shape(2, variational), stream);
    const Examples<float> examples = random_examples<float>(3, 2, 50, stream);
    Stream other(99);
    MixtureDensityNetwork<float> restored(3, 2, network.options(), other);
    std::copy(network.parameters().begin(), network.parameters().end(),
              restored.parameters().begin());
    EXPECT_EQ(network.log_probs(examples.targets, examples.contexts),
              restored.log_probs(examples.targets, examples.contexts));
    const auto clone = network.clone();
    std::vector<float> a(network.parameters().size()), b(a), c(a);
    Stream one(7), two(7), three(7);
    const std::vector<Index> batch = first_indices(50);
    const float loss = network.loss(examples, batch, 50, one, a);
    EXPECT_EQ(loss, restored.loss(examples, batch, 50, two, b));
    EXPECT_EQ(loss, clone->loss(examples, batch, 50, three, c));
    EXPECT_EQ(a, b);
    EXPECT_EQ(a, c);
  }
}

TEST(MixtureDensityNetwork, StartsAsDocumented) {
  Stream stream(8);
  const NetworkOptions options{.hidden_units = {400}, .initial_log_std = -2.5};
  const MixtureDensityNetwork<double> network(100, 2, options, stream);
  const auto parameters = network.parameters();
  const std::size_t hidden = 101 * 400, heads = 401 * 5;
  ASSERT_EQ(parameters.size(), 2 * (hidden + heads));
  double sum = 0;
  for (std::size_t i = 0; i < hidden; ++i) {
    if (i % 101 == 100) {
      EXPECT_EQ(parameters[i], 0);
    } else {
      sum += parameters[i] * parameters[i];
    }
  }
  EXPECT_NEAR(sum / 40000, 0.01, 0.01 * 5 * std::sqrt(2.0 / 40000));
  for (std::size_t i = hidden + heads; i < parameters.size(); ++i) EXPECT_EQ(parameters[i], -5.0);
}

TEST(MixtureDensityNetwork, ReplicateKeepsTheDensity) {
  for (const bool variational : {false, true}) {
    Stream stream(9);
    const auto network = random_network<double>(3, 2, shape(1, variational), stream);
    const Examples<double> examples = random_examples<double>(3, 2, 10, stream);
    const auto replica = network.replicate(5, 1e-6, stream);
    EXPECT_EQ(replica->options().num_components, 5);
    const Eigen::VectorXd before = network.log_probs(examples.targets, examples.contexts);
    const Eigen::VectorXd after = replica->log_probs(examples.targets, examples.contexts);
    for (Index i = 0; i < 10; ++i) EXPECT_NEAR(after[i], before[i], 1e-4);
    const GaussianMixture mixture = replica->mixture_at(examples.contexts.col(0));
    for (Index k = 0; k < 5; ++k) {
      EXPECT_NEAR(mixture.weights()[k], 0.2, 1e-15);
      // The noise breaks the symmetry, a little.
      const Eigen::VectorXd shift =
          mixture.component(k).mean() - network.mixture_at(examples.contexts.col(0)).mean();
      EXPECT_GT(shift.norm(), 1e-8);
      EXPECT_LT(shift.norm(), 1e-5);
    }
    if (!variational) continue;
    // Log variances: hidden layers first, then the logits' at their start, then copies.
    const std::size_t hidden = 6 * 4 + 5 * 7, heads = 6 * 5;
    const std::size_t from = hidden + heads, to = hidden + 6 * 5 + 5 * heads;
    for (std::size_t i = 0; i < hidden; ++i) {
      EXPECT_EQ(replica->parameters()[to + i], network.parameters()[from + i]);
    }
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_EQ(replica->parameters()[hidden + i], 0);
      EXPECT_EQ(replica->parameters()[to + hidden + i], 2 * network.options().initial_log_std);
    }
    for (std::size_t k = 0; k < 5; ++k) {
      for (std::size_t i = 0; i < heads; ++i) {
        EXPECT_EQ(replica->parameters()[to + hidden + 30 + k * heads + i],
                  network.parameters()[from + hidden + i]);
      }
    }
  }
}

TEST(MixtureDensityNetwork, SampleHasTheMixturesMean) {
  Stream stream(10);
  const auto network = random_network<float>(2, 2, shape(3, true), stream);
  const Eigen::VectorXf context = Eigen::VectorXf::Constant(2, 0.5f);
  const Index count = 20000;
  const Eigen::MatrixXf samples = network.sample(context, count, stream);
  ASSERT_EQ(samples.cols(), count);
  const GaussianMixture mixture = network.mixture_at(context.cast<double>());
  const Eigen::VectorXd error = samples.cast<double>().rowwise().mean() - mixture.mean();
  for (Index i = 0; i < 2; ++i) {
    EXPECT_LT(std::abs(error[i]), 5 * std::sqrt(mixture.covariance()(i, i) / count));
  }
}

TEST(MixtureDensityNetwork, RefusesBadShapes) {
  Stream stream(11);
  const auto refused = [&](const NetworkOptions& options, const std::string& field) {
    try {
      MixtureDensityNetwork<float>(2, 2, options, stream);
      ADD_FAILURE() << field;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  };
  refused({.hidden_units = {5, 0}}, "hidden_units[1]");
  refused({.num_components = 0}, "num_components");
  refused({.weight_precision = 0}, "weight_precision");
  refused({.initial_log_std = NAN}, "initial_log_std");
  EXPECT_THROW(MixtureDensityNetwork<float>(0, 2, {}, stream), Error);
  EXPECT_THROW(MixtureDensityNetwork<float>(2, 0, {}, stream), Error);
  const MixtureDensityNetwork<float> network(2, 2, {}, stream);
  EXPECT_THROW(network.log_probs(Eigen::MatrixXf(2, 3), Eigen::MatrixXf(2, 4)), Error);
  EXPECT_THROW(network.replicate(0, 0, stream), Error);
}

}  // namespace
}  // namespace epsfree
