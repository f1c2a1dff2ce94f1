#include "epsfree/conditional_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "epsfree/training.hpp"
#include "random_problem.hpp"

namespace epsfree {
namespace {

NetworkOptions three_components(bool variational) {
  return {.hidden_units = {7}, .num_components = 3, .variational = variational};
}

TEST(ConditionalDensity, SamplesOfManyContextsAreThoseOfEach) {
  Stream stream(1);
  const auto network = random_network<float>(3, 2, three_components(true), stream);
  const Eigen::MatrixXf contexts = random_examples<float>(3, 2, 4, stream).contexts;
  const ConditionalDensity<float>& density = network;
  Stream together(7), one_by_one(7);
  const Eigen::MatrixXf all = density.sample_each(contexts, 5, together);
  ASSERT_EQ(all.cols(), 20);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(density.sample(contexts.col(i), 5, one_by_one), all.middleCols(5 * i, 5));
  }
  EXPECT_EQ(density.sample_each(contexts, 0, together).cols(), 0);
  EXPECT_EQ(density.sample_each(Eigen::MatrixXf(3, 0), 5, together).cols(), 0);
}

TEST(ConditionalDensity, ClosedFormOfANetworkIsItsMixture) {
  Stream stream(2);
  const auto network = random_network<float>(3, 2, three_components(false), stream);
  const Eigen::Vector3d context(0.1, -0.4, 2);
  const ConditionalDensity<float>& density = network;
  EXPECT_EQ(density.kind(), "mixture-density-network");
  const std::optional<GaussianMixture> form = density.closed_form(context);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->mean(), network.mixture_at(context).mean());
  EXPECT_EQ(form->covariance(), network.mixture_at(context).covariance());
}

// Mutations that fail it: half of the log variance left out, log variances drawn as well.
TEST(ConditionalDensity, DrawnParametersScatterAsTheWeightsDo) {
  Stream stream(3);
  const auto plain = random_network<float>(3, 2, three_components(false), stream);
  EXPECT_EQ(plain.draw_parameters(stream), nullptr);
  const auto network = random_network<float>(3, 2, three_components(true), stream);
  const auto drawn = network.draw_parameters(stream);
  ASSERT_NE(drawn, nullptr);
  const std::span<const float> before = network.parameters();
  const std::span<const float> after = std::as_const(*drawn).parameters();
  const std::size_t count = before.size() / 2;
  double sum_of_squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double error = static_cast<double>(after[i]) - static_cast<double>(before[i]);
    sum_of_squares += error * error / std::exp(static_cast<double>(before[count + i]));
    EXPECT_EQ(after[count + i], before[count + i]);
  }
  // chi squared over its degrees of freedom: five standard errors
  EXPECT_NEAR(sum_of_squares / static_cast<double>(count), 1,
              5 * std::sqrt(2 / static_cast<double>(count)));
}

TEST(ConditionalDensity, HeldOutLossIsTheMeanOfWeightedLogProbs) {
  Stream stream(4);
  const auto network = random_network<double>(3, 2, three_components(true), stream);
  Examples<double> examples = random_examples<double>(3, 2, 5, stream);
  const Eigen::VectorXd log_probs = network.log_probs(examples.targets, examples.contexts);
  EXPECT_NEAR(network.held_out_loss(examples, Stream(1)), -log_probs.mean(), 1e-12);
  examples.weights.resize(5);
  examples.weights << 0, 1, 2, 0.5, 1.5;
  EXPECT_NEAR(network.held_out_loss(examples, Stream(1)), -examples.weights.dot(log_probs) / 5,
              1e-12);
}

// Other losses of a density hand their coefficients to it as weights.
TEST(ConditionalDensity, LossTakesWeightsOfEitherSign) {
  Stream stream(5);
  auto network = random_network<double>(3, 2, three_components(false), stream);
  Examples<double> examples = random_examples<double>(3, 2, 4, stream);
  const std::vector<Index> batch = first_indices(4);
  examples.weights = Eigen::Vector4d(1, 2, 3, 4);
  std::vector<double> gradient(network.parameters().size()), opposite(gradient.size());
  Stream noise(1);
  const double loss = network.loss(examples, batch, 4, noise, gradient);
  examples.weights *= -1;
  EXPECT_NEAR(network.loss(examples, batch, 4, noise, opposite), -loss, 1e-12);
  for (std::size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(opposite[i], -gradient[i], 1e-12);
}

// Fails, or is reported by the thread sanitizer, if predictions share work space.
TEST(ConditionalDensity, ThreadsShareANetwork) {
  Stream stream(6);
  const auto network = random_network<float>(3, 2, three_components(true), stream);
  constexpr std::size_t kThreads = 4;
  std::vector<Examples<float>> examples;
  std::vector<Eigen::VectorXf> expected, found(kThreads);
  for (std::size_t i = 0; i < kThreads; ++i) {
    examples.push_back(random_examples<float>(3, 2, 600, stream));
    expected.push_back(network.log_probs(examples[i].targets, examples[i].contexts));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 20; ++turn) {
        found[i] = network.log_probs(examples[i].targets, examples[i].contexts);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < kThreads; ++i) EXPECT_EQ(found[i], expected[i]);
}

/// No density: a point that is pulled to the mean of the targets, with a held-out loss of random
/// numbers of its own.
class Point final : public Trainable<double> {
 public:
  Index target_dim() const override { return 1; }
  Index context_dim() const override { return 1; }
  std::span<double> parameters() override { return parameters_; }
  std::span<const double> parameters() const override { return parameters_; }
  double loss(const Examples<double>& examples, std::span<const Index> batch, Index, Stream& noise,
              std::span<double> gradient) override {
    training_bits.push_back(noise.bits64());
    double sum = 0;
    gradient[0] = 0;
    for (const Index i : batch) {
      const double error = parameters_[0] - examples.targets(0, i);
      sum += 0.5 * error * error / static_cast<double>(batch.size());
      gradient[0] += error / static_cast<double>(batch.size());
    }
    return sum;
  }
  double held_out_loss(const Examples<double>& examples, Stream noise) const override {
    held_out_bits.push_back(noise.bits64());
    num_held_out = examples.size();
    return 0.5 * (examples.targets.array() - parameters_[0]).square().mean();
  }

  std::vector<std::uint64_t> training_bits;
  mutable std::vector<std::uint64_t> held_out_bits;
  mutable Index num_held_out = 0;

 private:
  std::vector<double> parameters_ = {5};
};

TEST(Trainable, NeedNotBeADensity) {
  Examples<double> examples;
  examples.targets = Eigen::RowVectorXd::LinSpaced(40, 1, 3);
  examples.contexts = Eigen::RowVectorXd::Zero(40);
  Point point;
  const TrainingSummary summary = train(point, examples,
                                        {.num_steps = 2000,
                                         .batch_size = 10,
                                         .learning_rate = 0.05,
                                         .schedule = Schedule::cosine,
                                         .validation_fraction = 0.25,
                                         .patience = 1000},
                                        Stream(1), Stream(2));
  EXPECT_EQ(point.num_held_out, 10);
  // The mean of the others is within four standard errors of that of all.
  EXPECT_NEAR(point.parameters()[0], 2, 4 * 0.6 / std::sqrt(30.0));
  EXPECT_LT(summary.validation_loss, 0.5);
  // Every check compares by the same random numbers, and by none that training drew.
  ASSERT_GT(point.held_out_bits.size(), 10u);
  for (const std::uint64_t bits : point.held_out_bits) EXPECT_EQ(bits, point.held_out_bits[0]);
  for (const std::uint64_t bits : point.training_bits) EXPECT_NE(bits, point.held_out_bits[0]);
}

}  // namespace
}  // namespace epsfree
