// Estimators of posteriors and of likelihoods, in the user's units.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include <cmath>

#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "epsfree/estimator.hpp"
#include "infer/mdn/network_run.hpp"
#include "infer/methods.hpp"
#include "support/error_of.hpp"
#include "support/linear_gaussian.hpp"
#include "support/random_estimator.hpp"

namespace epsfree {
namespace {

constexpr Direction kBoth[] = {Direction::posterior, Direction::likelihood};

// Coordinates that are not theta, with a Jacobian.
PriorPtr curved_prior() {
  return independent_prior({Marginal::log_normal(0.3, 0.8), Marginal::normal(1, 2)});
}

Eigen::MatrixXd some_statistics(Index dim, Index count, std::uint64_t seed) {
  Stream stream(seed);
  Eigen::MatrixXd points(dim, count);
  for (double& value : points.reshaped()) value = stream.normal();
  return points;
}

// A density without a closed form, made of one that has it.
class Opaque final : public ConditionalDensity<float> {
 public:
  explicit Opaque(std::shared_ptr<const ConditionalDensity<float>> inner)
      : inner_(inner->clone()) {}
  std::string kind() const override { return "opaque"; }
  Index target_dim() const override { return inner_->target_dim(); }
  Index context_dim() const override { return inner_->context_dim(); }
  std::span<float> parameters() override { return inner_->parameters(); }
  std::span<const float> parameters() const override { return std::as_const(*inner_).parameters(); }
  float loss(const Examples<float>& examples, std::span<const Index> batch, Index num_examples,
             Stream& noise, std::span<float> gradient) override {
    return inner_->loss(examples, batch, num_examples, noise, gradient);
  }
  Vector log_probs(const Matrix& targets, const Matrix& contexts) const override {
    return inner_->log_probs(targets, contexts);
  }
  void input_gradients(const Matrix& targets, const Matrix& contexts, Matrix& d_targets,
                       Matrix& d_contexts) const override {
    inner_->input_gradients(targets, contexts, d_targets, d_contexts);
  }
  Matrix sample_each(const Matrix& contexts, Index count, Stream& stream) const override {
    return inner_->sample_each(contexts, count, stream);
  }
  std::unique_ptr<ConditionalDensity> clone() const override {
    return std::make_unique<Opaque>(std::shared_ptr<const ConditionalDensity>(inner_->clone()));
  }

 private:
  std::unique_ptr<ConditionalDensity<float>> inner_;
};

// Single precision of the network: 1e-4 relative to a log density of a few nats.
TEST(EstimatorDirections, LogProbsAreThoseOfTheClosedForm) {
  const PriorPtr prior = curved_prior();
  Stream stream(3);
  const Eigen::MatrixXd thetas = prior->sample(20, stream);
  const Eigen::MatrixXd x = some_statistics(3, 20, 4);
  const Estimator posterior(random_parts(prior, 3, Direction::posterior, 1));
  const Eigen::VectorXd of_thetas = posterior.log_probs(thetas, x);
  const Estimator likelihood(random_parts(prior, 3, Direction::likelihood, 2));
  const Eigen::VectorXd of_x = likelihood.log_probs(x, thetas);
  for (Index i = 0; i < 20; ++i) {
    const Eigen::VectorXd z = prior->to_coordinates(thetas.col(i));
    const double in_theta = posterior.density(x.col(i)).log_prob(z) - prior->log_jacobian(z);
    EXPECT_NEAR(of_thetas[i], in_theta, 1e-4 * (1 + std::abs(in_theta))) << i;
    const double in_x = likelihood.density(thetas.col(i)).log_prob(x.col(i));
    EXPECT_NEAR(of_x[i], in_x, 1e-4 * (1 + std::abs(in_x))) << i;
  }
}

// The closed form of a likelihood by hand: the network's mixture at standardised parameters, over
// x = M^-1 y + shift with M full.
TEST(EstimatorDirections, ClosedFormOfALikelihoodByHand) {
  const PriorPtr prior = curved_prior();
  const Estimator::Parts parts = random_parts(prior, 3, Direction::likelihood, 5);
  const Estimator likelihood(parts);
  const Eigen::Vector2d theta(1.4, 0.2);
  const Eigen::VectorXd context =
      parts.parameters.apply(Eigen::Vector2d(std::log(1.4), 0.2)).col(0);
  const Eigen::MatrixXd& M = parts.statistics.matrix();
  const Eigen::MatrixXd inverse = M.inverse();
  const GaussianMixture expected =
      parts.conditional->closed_form(context)->affine(inverse, parts.statistics.shift());
  const GaussianMixture found = likelihood.density(theta);
  EXPECT_LT((found.mean() - expected.mean()).norm(), 1e-10);
  EXPECT_LT((found.covariance() - expected.covariance()).norm(), 1e-10);
  const Eigen::Vector3d x(0.4, -1, 0.7);
  EXPECT_NEAR(
      found.log_prob(x),
      parts.conditional->closed_form(context)->log_prob(M * (x - parts.statistics.shift())) +
          std::log(std::abs(M.determinant())),
      1e-9);
}

// Densities in the user's units integrate to one, whatever the scales: the trapezoidal rule, whose
// error is far below that of single precision here.
TEST(EstimatorDirections, DensitiesAreNormalised) {
  const PriorPtr prior = independent_prior({Marginal::log_normal(0.3, 0.8)});
  constexpr Index kPoints = 20001;
  const Estimator posterior(random_parts(prior, 1, Direction::posterior, 6));
  // exp of a grid, as the density has a long tail; d theta = theta d z
  const Eigen::VectorXd z = Eigen::VectorXd::LinSpaced(kPoints, -30, 30);
  const Eigen::MatrixXd thetas = z.array().exp().matrix().transpose();
  const Eigen::VectorXd q =
      posterior.log_probs(thetas, Eigen::MatrixXd::Constant(1, 1, 0.4)).array().exp();
  EXPECT_NEAR((q.array() * z.array().exp()).sum() * (z[1] - z[0]), 1, 1e-4);

  const Estimator likelihood(random_parts(prior, 1, Direction::likelihood, 7));
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(kPoints, -60, 60);
  const Eigen::VectorXd p =
      likelihood.log_probs(x.transpose(), Eigen::MatrixXd::Constant(1, 1, 1.7)).array().exp();
  EXPECT_NEAR(p.sum() * (x[1] - x[0]), 1, 1e-4);
}

TEST(EstimatorDirections, OneColumnStandsForAll) {
  const PriorPtr prior = curved_prior();
  const Estimator likelihood(random_parts(prior, 3, Direction::likelihood, 8));
  Stream stream(9);
  const Eigen::MatrixXd thetas = prior->sample(5000, stream);  // more than one turn
  const Eigen::MatrixXd x = some_statistics(3, 5000, 10);
  EXPECT_EQ(likelihood.log_probs(x.col(0), thetas),
            likelihood.log_probs(x.col(0).replicate(1, 5000), thetas));
  EXPECT_EQ(likelihood.log_probs(x, thetas.col(0)),
            likelihood.log_probs(x, thetas.col(0).replicate(1, 5000)));
  EXPECT_EQ(likelihood.log_probs(x, thetas)[4999],
            likelihood.log_probs(x.col(4999), thetas.col(4999))[0]);
  EXPECT_THROW(likelihood.log_probs(x.leftCols(2), thetas.leftCols(3)), Error);
  EXPECT_THROW(likelihood.log_probs(thetas, x), Error);
}

// The mean and the covariance of draws at each context: five standard errors.
TEST(EstimatorDirections, SamplesHaveTheMomentsOfTheClosedForm) {
  const PriorPtr prior = gaussian_prior(Gaussian::standard(2));
  constexpr Index kCount = 20000;
  for (const Direction direction : kBoth) {
    const Estimator estimator(random_parts(prior, 3, direction, 11));
    const Eigen::MatrixXd contexts = some_statistics(estimator.contexts().dim(), 3, 12);
    Stream stream(13), again(13);
    const Eigen::MatrixXd samples = estimator.sample_each(contexts, kCount, stream);
    EXPECT_EQ(samples, estimator.sample_each(contexts, kCount, again));
    ASSERT_EQ(samples.rows(), estimator.targets().dim());
    ASSERT_EQ(samples.cols(), 3 * kCount);
    for (Index i = 0; i < 3; ++i) {
      const Eigen::MatrixXd own = samples.middleCols(i * kCount, kCount);
      const GaussianMixture expected = estimator.density(contexts.col(i));
      const Eigen::VectorXd mean = own.rowwise().mean();
      const Eigen::MatrixXd centred = own.colwise() - mean;
      const Eigen::MatrixXd covariance = expected.covariance();
      for (Index d = 0; d < mean.size(); ++d) {
        EXPECT_NEAR(mean[d], expected.mean()[d], 5 * std::sqrt(covariance(d, d) / kCount));
        const Eigen::ArrayXd squares = centred.row(d).transpose().array().square();
        const double error = std::sqrt((squares - squares.mean()).square().mean() / kCount);
        EXPECT_NEAR(squares.mean(), covariance(d, d), 5 * error);
      }
    }
  }
}

TEST(EstimatorDirections, SamplesOfThetaLieInThePriorsSupport) {
  const PriorPtr prior =
      independent_prior({Marginal::uniform(-1, 1), Marginal::log_uniform(0.5, 2)});
  Estimator::Parts parts = random_parts(prior, 3, Direction::posterior, 14);
  const Estimator estimator(parts);
  const Eigen::MatrixXd contexts = some_statistics(3, 4, 15);
  Stream stream(16);
  const Eigen::MatrixXd samples = estimator.sample_each(contexts, 500, stream);
  for (Index i = 0; i < samples.cols(); ++i) ASSERT_TRUE(prior->contains(samples.col(i)));
  // None of them was moved to a bound instead.
  EXPECT_LT(samples.row(1).maxCoeff(), 2);
  EXPECT_GT(samples.row(1).minCoeff(), 0.5);
  EXPECT_EQ(estimator.log_probs(Eigen::Vector2d(1.5, 1), contexts)[0],
            -std::numeric_limits<double>::infinity());

  parts.parameters = Standardiser::diagonal(Eigen::Vector2d(1e6, 0), Eigen::Vector2d(1, 1));
  error_of(ErrorKind::stopped, [&] { Estimator(parts).sample_each(contexts, 10, stream); });
}

TEST(EstimatorDirections, ALikelihoodIsNoPosterior) {
  Estimator::Parts parts = random_parts(curved_prior(), 2, Direction::likelihood, 17);
  parts.proposal = Gaussian::standard(2);
  const Estimator likelihood(parts);
  EXPECT_TRUE(likelihood.amortised());  // wherever its parameters came from
  EXPECT_NE(error_of(ErrorKind::usage, [&] { likelihood.posterior(Eigen::Vector2d(1, 1)); })
                .find("likelihood"),
            std::string::npos);
  // Nothing was learnt outside of the support.
  const Eigen::Vector2d outside(-1, 0);
  EXPECT_THROW(likelihood.density(outside), Error);
  EXPECT_THROW(likelihood.log_probs(Eigen::Vector2d(0, 0), outside), Error);
}

TEST(EstimatorDirections, WhatNeedsTheClosedFormSaysSo) {
  for (const Direction direction : kBoth) {
    Estimator::Parts parts = random_parts(curved_prior(), 2, direction, 18);
    const Estimator open(parts);
    parts.conditional = std::make_shared<Opaque>(parts.conditional);
    const Estimator opaque(parts);
    const Eigen::Vector2d theta(1.2, 0.3), x(0.1, 0.2);
    const Eigen::Vector2d target = direction == Direction::posterior ? theta : x;
    const Eigen::Vector2d context = direction == Direction::posterior ? x : theta;
    EXPECT_EQ(opaque.log_probs(target, context), open.log_probs(target, context));
    Stream a(1), b(1);
    EXPECT_EQ(opaque.sample_each(context, 3, a), open.sample_each(context, 3, b));
    const std::string message = error_of(ErrorKind::usage, [&] { opaque.density(context); });
    EXPECT_NE(message.find("\"opaque\""), std::string::npos) << message;
    error_of(ErrorKind::usage, [&] { opaque.posterior(x); });
    // No file format either.
    EXPECT_NE(error_of(ErrorKind::internal, [&] { estimator_text(opaque); }).find("opaque"),
              std::string::npos);
  }
}

TEST(EstimatorDirections, PartsMustAgree) {
  const Estimator::Parts good = random_parts(curved_prior(), 3, Direction::posterior, 19);
  Estimator::Parts turned = good;
  turned.direction = Direction::likelihood;
  EXPECT_THROW(Estimator{turned}, Error);
  Estimator::Parts empty = good;
  empty.conditional = nullptr;
  EXPECT_THROW(Estimator{empty}, Error);
  Estimator::Parts other = good;
  other.statistics = Standardiser::identity(2);
  EXPECT_THROW(Estimator{other}, Error);
}

// x = A theta + noise: the likelihood at parameters the network never saw is N(A theta, s^2 I).
TEST(EstimatorDirections, ALikelihoodIsLearntByTheSameRun) {
  const LinearGaussian model = LinearGaussian::make(2, 3, 0.5);
  const Problem problem = model.problem();
  const InferOptions options{
      .method = MdnWithPriorOptions{.pilot = {.scaling = Scaling::whiten, .num_simulations = 200}}};
  const NetworkOptions shape = {.hidden_units = {10}, .num_components = 1, .variational = false};
  ThreadRunner runner(1);
  InferenceRun run(problem, options, method_of(options), runner, nullptr);
  run.scale_statistics();
  RoundSummary round = new_round("final", 1);
  const SimulatedPairs pairs = run.simulate(Proposal{}, 3000, round);
  std::shared_ptr<Network> network = make_network(run, shape, Direction::likelihood);
  run.train(*network, pairs,
            {.num_steps = 4000, .learning_rate = 5e-3, .schedule = Schedule::cosine}, round,
            Direction::likelihood);
  const auto likelihood =
      run.make_estimator(network, Proposal{}, pairs.size(), Direction::likelihood);
  for (const Eigen::Vector2d& theta : {Eigen::Vector2d(0.8, -0.5), Eigen::Vector2d(-1, 0.3)}) {
    const Gaussian exact =
        Gaussian::from_covariance(model.A * theta, 0.25 * Eigen::MatrixXd::Identity(3, 3));
    EXPECT_LT(kl_divergence(exact, likelihood->density(theta).project()), 0.1);
  }
}

}  // namespace
}  // namespace epsfree
