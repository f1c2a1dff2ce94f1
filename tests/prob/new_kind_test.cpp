// Kinds that implement only what they must, through all that works on posteriors and priors.
#include <gtest/gtest.h>

#include <array>

#include "cases.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "support/toy_kinds.hpp"

namespace epsfree {
namespace {

constexpr std::array<Index, 1> kFirst = {0}, kSecond = {1};
constexpr std::array<Index, 2> kSwapped = {1, 0};

TEST(NewKindOfPosterior, HasAMarginalThatKeepsIt) {
  PosteriorPtr joint = std::make_shared<TrianglePosterior>();
  const PosteriorPtr part = marginal(joint, kSecond);
  joint.reset();
  EXPECT_EQ(part->kind(), "marginal");
  EXPECT_EQ(part->names(), std::vector<std::string>{"b"});
  EXPECT_EQ(part->dim(), 1);
  EXPECT_DOUBLE_EQ(part->mean()[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(part->covariance()(0, 0), 1.0 / 18);
  EXPECT_DOUBLE_EQ(part->quantile(0, 0.75), 0.5);
  Stream stream(1);
  expect_sample_mean(part->sample(20000, stream), part->mean(), part->covariance());
  // Nothing integrates its density.
  EXPECT_FALSE(part->has_log_prob());
  const std::string message =
      error_of(ErrorKind::usage, [&] { part->log_prob(Eigen::VectorXd::Constant(1, 0.5)); });
  EXPECT_CONTAINS(message, "triangle");
  // A part of a part has the same joint posterior.
  const PosteriorPtr all = std::make_shared<TrianglePosterior>()->marginal(kSwapped);
  EXPECT_EQ(all->names(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(all->marginal(kSecond)->names(), std::vector<std::string>{"a"});
  error_of(ErrorKind::input, [&] { all->marginal(std::vector<Index>{}); });
  error_of(ErrorKind::input, [&] { all->marginal(std::vector<Index>{0, 0}); });
  error_of(ErrorKind::input, [&] { all->marginal(std::vector<Index>{2}); });
}

TEST(NewKindOfPosterior, SaysWhatAMarginalNeeds) {
  const TrianglePosterior on_the_stack;
  const std::string message = error_of(ErrorKind::usage, [&] { on_the_stack.marginal(kFirst); });
  EXPECT_CONTAINS(message, "make_shared");
}

TEST(NewKindOfPosterior, SaysWhatHasNoClosedForm) {
  const TrianglePosterior triangle;
  std::string message = error_of(
      ErrorKind::input, [&] { conditional(triangle, kFirst, Eigen::VectorXd::Constant(1, 0.5)); });
  EXPECT_CONTAINS(message, "triangle");
  // The arguments are checked first, as for every kind.
  message = error_of(ErrorKind::input,
                     [&] { triangle.conditional(kSwapped, Eigen::Vector2d(0.2, 0.2)); });
  EXPECT_CONTAINS(message, "none is left");
  message = error_of(ErrorKind::input, [&] { combine(triangle, triangle); });
  EXPECT_CONTAINS(message, "triangle");
  const std::vector<PosteriorPtr> two(2, std::make_shared<TrianglePosterior>());
  message = error_of(ErrorKind::input, [&] { combine_all(two); });
  EXPECT_CONTAINS(message, "triangle");
  EXPECT_EQ(triangle.mixture(), nullptr);
  EXPECT_EQ(triangle.weighted_samples(), nullptr);
  EXPECT_FALSE(triangle.mass_on_support());
  EXPECT_EQ(triangle.log_prob_error(), 0);
}

TEST(NewKindOfPosterior, HasAModeAndDivergences) {
  const TrianglePosterior triangle;
  EXPECT_TRUE(TrianglePosterior::holds(map_estimate(triangle)));
  // A peaked density, whose mode is a corner.
  class Ramp final : public Posterior {
   public:
    Ramp() : Posterior(uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)), {"a", "b"}) {}
    std::string kind() const override { return "ramp"; }
    Eigen::MatrixXd sample(Index count, Stream& stream) const override {
      Eigen::MatrixXd thetas(2, count);
      for (double& each : thetas.reshaped()) each = std::sqrt(stream.uniform());
      return thetas;
    }
    bool has_log_prob() const override { return true; }
    double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override {
      return prior().contains(theta) ? std::log(4 * theta.prod()) : -INFINITY;
    }
    Eigen::VectorXd mean() const override { return Eigen::Vector2d(2.0 / 3, 2.0 / 3); }
    Eigen::MatrixXd covariance() const override { return Eigen::Matrix2d::Identity() / 18; }
    double quantile(Index, double probability) const override { return std::sqrt(probability); }
  } ramp;
  expect_close(ramp.mode(), Eigen::Vector2d(1, 1), 1e-5);
  Stream stream(2);
  EXPECT_EQ(kl_divergence(triangle, triangle, 100, stream).value, 0);
  // Of a and b from the triangle: E[log 2 - log 4ab] = log 2 - log 4 + 3, as E[log a] = -3/2.
  const Estimate kl = kl_divergence(triangle, ramp, 20000, stream);
  EXPECT_NEAR(kl.value, 3 - std::log(2.0), 5 * kl.standard_error);
}

TEST(NewKindOfPosterior, IsFittedByADensityFromItsSamples) {
  const TrianglePosterior triangle;
  Stream stream(3);
  const auto fitted = fit_density(triangle, {.num_components = 1}, stream);
  const Gaussian& gaussian = fitted->coordinates().mixture().component(0);
  const double deviation = std::sqrt(1.0 / 18 / 5000);
  expect_close(gaussian.mean(), triangle.mean(), 5 * deviation);
  expect_close(gaussian.covariance(), triangle.covariance(), 0.005);
}

TEST(Posterior, KnowsTheErrorOfItsNormalisation) {
  const PriorPtr box = uniform_prior(Eigen::Vector3d::Constant(-1), Eigen::Vector3d::Constant(1));
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Constant(0.5);
  covariance.diagonal().setOnes();
  const MixturePosterior cut(
      box, default_names(3),
      GaussianMixture(Gaussian::from_covariance(Eigen::Vector3d::Zero(), covariance)));
  const Estimate mass = cut.mixture()->mass();
  ASSERT_GT(mass.standard_error, 0);
  EXPECT_EQ(cut.mass_on_support()->value, mass.value);
  EXPECT_DOUBLE_EQ(cut.log_prob_error(), mass.standard_error / mass.value);
  EXPECT_DOUBLE_EQ(cut.marginal(kFirst)->log_prob_error(), cut.log_prob_error());
  EXPECT_TRUE(cut.marginal(kFirst)->log_prob_is_integral());
  const MixturePosterior whole(
      gaussian_prior(Gaussian::standard(3)), default_names(3),
      GaussianMixture(Gaussian::from_covariance(Eigen::Vector3d::Zero(), covariance)));
  EXPECT_EQ(whole.log_prob_error(), 0);
  EXPECT_FALSE(whole.marginal(kFirst)->log_prob_is_integral());
}

TEST(NewKindOfPrior, IsDrawnFromAndHasMarginals) {
  PriorPtr prior = std::make_shared<LogisticPrior>(2);
  Stream stream(4);
  Eigen::MatrixXd thetas(2, 20000);
  prior->draw_columns(stream, thetas);
  expect_sample_mean(thetas, prior->mean(), prior->covariance());
  const PriorPtr part = prior->marginal(kSecond);
  EXPECT_EQ(part->dim(), 1);
  EXPECT_FALSE(part->has_log_prob());
  EXPECT_DOUBLE_EQ(part->covariance()(0, 0), LogisticPrior::kVariance);
  std::string message = error_of(ErrorKind::usage, [&] { part->log_prob(part->mean()); });
  EXPECT_CONTAINS(message, "logistic");
  message =
      error_of(ErrorKind::usage, [&] { prior->conditional(kFirst, Eigen::VectorXd::Zero(1)); });
  EXPECT_CONTAINS(message, "logistic");
  const LogisticPrior on_the_stack(2);
  message = error_of(ErrorKind::usage, [&] { on_the_stack.marginal(kFirst); });
  EXPECT_CONTAINS(message, "make_shared");
}

TEST(NewKindOfPrior, IsTheSameAsItselfOnly) {
  const PriorPtr prior = std::make_shared<LogisticPrior>(2);
  EXPECT_TRUE(same_prior(*prior, *prior));
  EXPECT_FALSE(same_prior(*prior, LogisticPrior(2)));
  EXPECT_FALSE(same_prior(*prior, *gaussian_prior(Gaussian::standard(2))));
  EXPECT_TRUE(same_prior(*prior->marginal(kFirst), *prior->marginal(kFirst)));
  EXPECT_FALSE(same_prior(*prior->marginal(kFirst), *prior->marginal(kSecond)));
}

// The moments and quantiles of the prior itself, which is standard normal in its coordinates, and
// of an image of it.
TEST(NewKindOfPrior, CarriesMixtures) {
  const PriorPtr prior = std::make_shared<LogisticPrior>(2);
  const GaussianMixture standard(Gaussian::standard(2));
  const PosteriorPtr same = std::make_shared<MixturePosterior>(prior, default_names(2), standard);
  expect_close(same->mean(), prior->mean(), 0.02);
  expect_close(same->covariance(), prior->covariance(), 0.05);
  EXPECT_NEAR(same->quantile(1, 0.9), std::log(9.0), 0.05);
  const Eigen::Vector2d theta(0.3, -1.2);
  EXPECT_NEAR(same->log_prob(theta), prior->log_prob(theta), 1e-10);
  expect_close(same->mode(), Eigen::Vector2d::Zero(), 1e-5);
  const PosteriorPtr part = same->marginal(kSecond);
  EXPECT_FALSE(part->has_log_prob());
  EXPECT_EQ(part->quantile(0, 0.9), same->quantile(1, 0.9));
  const std::string message =
      error_of(ErrorKind::input, [&] { same->conditional(kFirst, Eigen::VectorXd::Zero(1)); });
  EXPECT_CONTAINS(message, "logistic");

  Eigen::Matrix2d A;
  A << 1, 2, 0, 1;
  const MixturePosterior image(linear_image_prior(prior, A, Eigen::Vector2d(5, 6)),
                               default_names(2), standard);
  expect_close(image.mean(), Eigen::Vector2d(5, 6), 0.05);
  expect_close(image.covariance(), A * prior->covariance() * A.transpose(), 0.3);
  // The product of two of them, divided by the prior, is the prior again.
  const PosteriorPtr product = combine(*same, *same);
  EXPECT_NEAR(product->log_prob(theta), prior->log_prob(theta), 1e-10);
}

}  // namespace
}  // namespace epsfree
