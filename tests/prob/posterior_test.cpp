#include "epsfree/posterior.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <limits>

#include "cases.hpp"

namespace epsfree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

MixturePosterior on(PriorPtr prior, GaussianMixture mixture) {
  const Index dim = prior->dim();
  return MixturePosterior(std::move(prior), default_names(dim), std::move(mixture));
}

Gaussian normal(double mean, double std) {
  return Gaussian::from_covariance(Eigen::VectorXd::Constant(1, mean),
                                   Eigen::MatrixXd::Constant(1, 1, std * std));
}

std::vector<PriorPtr> priors() {
  Eigen::MatrixXd A(2, 2);
  A << 1, 0, 1, 1;
  const PriorPtr mixed = independent_prior({Marginal::log_uniform(0.1, 3), Marginal::gamma(2, 1)});
  return {uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 2)),
          gaussian_prior(Gaussian::standard(2)),
          mixed,
          independent_prior({Marginal::beta(2, 2), Marginal::exponential(1)}),
          linear_image_prior(uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 2)), A,
                             Eigen::Vector2d(0.1, 0.2)),
          linear_image_prior(mixed, A, Eigen::Vector2d(0, 0))};
}

class OnEveryPrior : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Posterior, OnEveryPrior, testing::Range(std::size_t{0}, priors().size()));

/// E over the prior of posterior / prior is one: the density is normalised on the support.
/// Mutation seen to fail: the Jacobian added instead of subtracted.
TEST_P(OnEveryPrior, DensityIsNormalisedOnTheSupport) {
  const PriorPtr prior = priors()[GetParam()];
  // Narrower than the prior, or the ratio has no variance to judge by.
  const MixturePosterior posterior =
      on(prior, GaussianMixture(Gaussian::from_covariance(
                    prior->coordinate_mean() + 0.5 * prior->coordinate_std(),
                    (0.3 * prior->coordinate_std().cwiseAbs2()).asDiagonal())));
  Stream stream(131);
  const Index n = 5000;
  const Eigen::MatrixXd thetas = prior->sample(n, stream);
  Eigen::ArrayXd ratios(n);
  for (Index i = 0; i < n; ++i) {
    ratios(i) = std::exp(posterior.log_prob(thetas.col(i)) - prior->log_prob(thetas.col(i)));
  }
  const double error = std::sqrt((ratios - ratios.mean()).square().mean() / static_cast<double>(n));
  EXPECT_NEAR(ratios.mean(), 1, 5 * error);
}

TEST_P(OnEveryPrior, SamplesLieInTheSupportAndHaveMomentsAndQuantiles) {
  const PriorPtr prior = priors()[GetParam()];
  Stream stream(132);
  const MixturePosterior posterior = on(prior, random_mixture(2, 2, stream));
  const Index n = 4000;
  const Eigen::MatrixXd thetas = posterior.sample(n, stream);
  for (Index i = 0; i < n; ++i) ASSERT_TRUE(prior->contains(thetas.col(i)));
  EXPECT_TRUE(posterior.log_probs(thetas).allFinite());
  const Eigen::MatrixXd S = posterior.covariance();
  expect_sample_mean(thetas, posterior.mean(), S);
  expect_close(posterior.standard_deviation(), S.diagonal().cwiseSqrt(), 1e-12);
  for (Index i = 0; i < 2; ++i) {
    for (const double p : {0.025, 0.5, 0.9}) {
      const double below = count_true(thetas.row(i).array() <= posterior.quantile(i, p));
      const double count = static_cast<double>(n);
      EXPECT_NEAR(below, p * count, 5 * std::sqrt(count * p * (1 - p)) + 1);
    }
  }
}

TEST(Posterior, MinusInfinityOutside) {
  const MixturePosterior posterior = on(priors()[0], GaussianMixture(Gaussian::standard(2)));
  EXPECT_EQ(posterior.log_prob(Eigen::Vector2d(-0.1, 1)), -kInf);
  EXPECT_EQ(posterior.log_prob(Eigen::Vector2d(0.1, std::nan(""))), -kInf);
  EXPECT_TRUE(std::isfinite(posterior.log_prob(Eigen::Vector2d(0, 2))));
}

TEST(Posterior, LogNormalMeanIsTheKnownOne) {
  const MixturePosterior posterior =
      on(independent_prior({Marginal::log_normal(0, 1)}), GaussianMixture(normal(0.3, 0.5)));
  EXPECT_NEAR(posterior.mean()(0), std::exp(0.3 + 0.125), 1e-3);
  EXPECT_NEAR(posterior.quantile(0, 0.5), std::exp(0.3), 1e-9);
}

TEST(Posterior, SamplesKindHasNoDensity) {
  Eigen::MatrixXd points(2, 3);
  points << 0.1, 0.2, 0.3, 1, 1, 1;
  const SamplesPosterior posterior(priors()[0], {"a", "b"}, WeightedSamples(points));
  EXPECT_FALSE(posterior.has_log_prob());
  EXPECT_NEAR(posterior.mean()(0), 0.2, 1e-15);
  expect_error(ErrorKind::usage, "samples", [&] { posterior.log_prob(Eigen::Vector2d(0.1, 1)); });
  expect_error(ErrorKind::input, "1 names",
               [&] { SamplesPosterior(priors()[0], {"a"}, WeightedSamples(points)); });
  EXPECT_EQ(default_names(2), (std::vector<std::string>{"theta1", "theta2"}));
}

/// The conjugate posterior of a normal mean: prior N(m, S), data with covariance R.
Gaussian conjugate(const Gaussian& prior, const Eigen::MatrixXd& data, const Eigen::MatrixXd& R) {
  const Eigen::MatrixXd R_inverse = R.inverse();
  const Eigen::MatrixXd precision =
      prior.precision() + static_cast<double>(data.cols()) * R_inverse;
  const Eigen::VectorXd shift = prior.precision() * prior.mean() + R_inverse * data.rowwise().sum();
  return Gaussian::from_precision(precision.ldlt().solve(shift), precision);
}

// Mutation seen to fail: the prior divided out twice.
TEST(Combine, IsThePosteriorOfThePooledDataForGaussians) {
  Stream stream(133);
  const Gaussian prior = random_gaussian(3, stream);
  const Eigen::MatrixXd R = random_covariance(3, stream);
  const Eigen::MatrixXd first = random_matrix(3, 4, stream), second = random_matrix(3, 7, stream);
  Eigen::MatrixXd pooled(3, 11);
  pooled << first, second;
  const MixturePosterior a = on(gaussian_prior(prior), GaussianMixture(conjugate(prior, first, R)));
  const MixturePosterior b =
      on(gaussian_prior(prior), GaussianMixture(conjugate(prior, second, R)));
  const PosteriorPtr both = combine(a, b);
  const Gaussian exact = conjugate(prior, pooled, R);
  expect_close(both->mean(), exact.mean(), 1e-10);
  expect_close(both->covariance(), exact.covariance(), 1e-10);
}

TEST_P(OnEveryPrior, CombineIsProductOverPriorPointwise) {
  const PriorPtr prior = priors()[GetParam()];
  Stream stream(134);
  const auto narrow = [&] {
    std::vector<Gaussian> parts;
    for (int k = 0; k < 2; ++k) {
      parts.push_back(Gaussian::from_covariance(
          prior->coordinate_mean() +
              0.5 * prior->coordinate_std().cwiseProduct(random_vector(2, stream)),
          (0.5 * prior->coordinate_std().cwiseAbs2()).asDiagonal()));
    }
    return GaussianMixture(parts, random_vector(2, stream));
  };
  const MixturePosterior a = on(prior, narrow()), b = on(prior, narrow());
  const PosteriorPtr both = combine(a, b);
  double constant = 0;
  for (int i = 0; i < 20; ++i) {
    const Eigen::VectorXd theta = prior->sample(stream);
    const double difference =
        both->log_prob(theta) - a.log_prob(theta) - b.log_prob(theta) + prior->log_prob(theta);
    if (i == 0) constant = difference;
    EXPECT_NEAR(difference, constant, 1e-7);
  }
}

TEST(Combine, RefusesWhatItCannot) {
  const MixturePosterior a = on(priors()[0], GaussianMixture(Gaussian::standard(2)));
  const MixturePosterior other = on(priors()[1], GaussianMixture(Gaussian::standard(2)));
  expect_error(ErrorKind::input, "different priors", [&] { combine(a, other); });
  const SamplesPosterior samples(priors()[0], default_names(2),
                                 WeightedSamples(Eigen::MatrixXd::Constant(2, 1, 0.5)));
  expect_error(ErrorKind::input, "\"samples\"", [&] { combine(a, samples); });
  // Both as broad as the prior: each says nothing, and the product over the prior is the prior.
  EXPECT_NO_THROW(combine(other, other));
  const MixturePosterior broad =
      on(priors()[1], GaussianMixture(Gaussian::from_covariance(
                          Eigen::VectorXd::Zero(2), 3 * Eigen::MatrixXd::Identity(2, 2))));
  expect_error(ErrorKind::input, "proper density", [&] { combine(broad, broad); });
}

}  // namespace
}  // namespace epsfree
