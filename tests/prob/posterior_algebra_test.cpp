#include "epsfree/posterior_algebra.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

Gaussian correlated(double x, double y, double std, double correlation) {
  Eigen::Matrix2d S;
  S << 1, correlation, correlation, 1;
  return Gaussian::from_covariance(Eigen::Vector2d(x, y), std * std * S);
}

GaussianMixture two(double std) {
  return GaussianMixture({correlated(0.3, 0.5, std, 0.8), correlated(0.8, 0.2, 0.7 * std, -0.5)},
                         Eigen::Vector2d(std::log(0.7), std::log(0.3)));
}

std::shared_ptr<const MixturePosterior> on_unit_square(double std) {
  return std::make_shared<MixturePosterior>(
      uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)),
      std::vector<std::string>{"a", "b"}, two(std));
}

double density(const Posterior& posterior, std::initializer_list<double> theta) {
  Eigen::VectorXd point(static_cast<Index>(theta.size()));
  std::copy(theta.begin(), theta.end(), point.begin());
  return std::exp(posterior.log_prob(point));
}

/// By the midpoint rule over the other parameter.
double integral_over_b(const Posterior& joint, double a) {
  constexpr int n = 2000;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += density(joint, {a, (i + 0.5) / n});
  return sum / n;
}

/// The others' mass given theta is what makes it differ from the mixture's own marginal.
TEST(Marginal, IntegratesOverTheOthersBox) {
  const auto joint = on_unit_square(0.4);
  const PosteriorPtr a = marginal(joint, std::vector<Index>{0});
  EXPECT_EQ(a->kind(), "marginal");
  EXPECT_EQ(a->names(), std::vector<std::string>{"a"});
  for (const double theta : {0.05, 0.3, 0.6, 0.95}) {
    EXPECT_NEAR(density(*a, {theta}), integral_over_b(*joint, theta), 1e-4);
  }
  EXPECT_EQ(density(*a, {1.5}), 0);
  EXPECT_NEAR(a->mean()[0], joint->mean()[0], 1e-12);
  EXPECT_NEAR(a->quantile(0, 0.3), joint->quantile(0, 0.3), 1e-12);
  Stream one(3), other(3);
  EXPECT_EQ(a->sample(5, one), joint->sample(5, other).topRows(1));
}

TEST(Marginal, IsAMixtureWhereNothingIsCutOff) {
  const PosteriorPtr b = marginal(on_unit_square(0.02), std::vector<Index>{1});
  EXPECT_EQ(b->kind(), "mixture");
  EXPECT_NEAR(b->mean()[0], 0.7 * 0.5 + 0.3 * 0.2, 1e-10);
}

TEST(Marginal, OfSamplesIsSamples) {
  const SamplesPosterior samples(uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)),
                                 {"a", "b"},
                                 WeightedSamples(Eigen::MatrixXd::Constant(2, 3, 0.25)));
  const PosteriorPtr b =
      marginal(std::make_shared<SamplesPosterior>(samples), std::vector<Index>{1});
  EXPECT_EQ(b->kind(), "samples");
  EXPECT_DOUBLE_EQ(b->mean()[0], 0.25);
}

TEST(Marginal, OfAnImageHasMomentsButNoDensity) {
  Eigen::Matrix2d A;
  A << 1, 0, 1, 1;
  const PriorPtr prior = linear_image_prior(
      uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)), A, Eigen::Vector2d(0, 0));
  const auto joint = std::make_shared<MixturePosterior>(
      prior, default_names(2), GaussianMixture(correlated(0.5, 1, 0.3, 0.2)));
  const PosteriorPtr b = marginal(joint, std::vector<Index>{1});
  EXPECT_FALSE(b->has_log_prob());
  EXPECT_THROW(b->log_prob(Eigen::VectorXd::Ones(1)), Error);
  EXPECT_NEAR(b->mean()[0], joint->mean()[1], 1e-12);
  Stream stream(1);
  EXPECT_EQ(b->prior().sample(3, stream).rows(), 1);
}

TEST(Marginal, SurvivesItsFile) {
  const PosteriorPtr a = marginal(on_unit_square(0.4), std::vector<Index>{0});
  const PosteriorPtr again = parse_posterior(posterior_text(*a));
  EXPECT_EQ(density(*again, {0.4}), density(*a, {0.4}));
  EXPECT_EQ(again->names(), a->names());
}

TEST(Conditional, IsTheSliceNormalised) {
  const auto joint = on_unit_square(0.4);
  const PosteriorPtr b =
      conditional(*joint, std::vector<Index>{0}, Eigen::VectorXd::Constant(1, 0.6));
  const double mass = integral_over_b(*joint, 0.6);
  for (const double theta : {0.1, 0.5, 0.9}) {
    EXPECT_NEAR(density(*b, {theta}), density(*joint, {0.6, theta}) / mass, 1e-4);
  }
  EXPECT_EQ(b->names(), std::vector<std::string>{"b"});
}

TEST(Conditional, RefusesWhatItCannotAnswer) {
  const auto joint = on_unit_square(0.4);
  const Eigen::VectorXd outside = Eigen::VectorXd::Constant(1, 2);
  EXPECT_THROW(conditional(*joint, std::vector<Index>{0}, outside), Error);
  EXPECT_THROW(conditional(*joint, std::vector<Index>{0, 1}, Eigen::Vector2d(0.5, 0.5)), Error);
  EXPECT_THROW(conditional(*joint, std::vector<Index>{2}, outside), Error);
}

TEST(Combine, OfManyIsThatOfPairs) {
  const auto joint = on_unit_square(0.4);
  const std::vector<PosteriorPtr> three(3, joint);
  const PosteriorPtr all = combine(three);
  const PosteriorPtr by_hand = combine(*combine(*joint, *joint), *joint);
  EXPECT_NEAR(all->log_prob(Eigen::Vector2d(0.4, 0.5)),
              by_hand->log_prob(Eigen::Vector2d(0.4, 0.5)), 1e-3);
}

TEST(Map, IsTheHighestPointOfTheDensity) {
  // The mixture's peak lies outside: the mode is on the bound.
  const auto cut = std::make_shared<MixturePosterior>(
      uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)), default_names(2),
      GaussianMixture(correlated(1.2, 0.5, 0.3, 0)));
  const Eigen::VectorXd mode = map_estimate(*cut);
  EXPECT_NEAR(mode[0], 1, 1e-5);
  EXPECT_NEAR(mode[1], 0.5, 1e-4);
  // Of theta, not of its logarithm: exp(m - s^2).
  const MixturePosterior log_normal(
      independent_prior({Marginal::log_normal(0, 1)}), {"scale"},
      GaussianMixture(Gaussian::from_covariance(Eigen::VectorXd::Constant(1, 0.5),
                                                Eigen::MatrixXd::Constant(1, 1, 0.25))));
  EXPECT_NEAR(map_estimate(log_normal)[0], std::exp(0.5 - 0.25), 1e-4);
}

}  // namespace
}  // namespace epsfree
