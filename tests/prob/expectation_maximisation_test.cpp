#include "cases.hpp"
#include "epsfree/divergence.hpp"

namespace epsfree {
namespace {

GaussianMixture known() {
  Eigen::MatrixXd S(2, 2);
  S << 1, 0.8, 0.8, 1;
  return GaussianMixture(
      {Gaussian::from_covariance(Eigen::Vector2d(0, 0), S),
       Gaussian::from_covariance(Eigen::Vector2d(6, -2), 0.25 * Eigen::MatrixXd::Identity(2, 2)),
       Gaussian::from_covariance(Eigen::Vector2d(-5, 5), 2 * Eigen::MatrixXd::Identity(2, 2))},
      Eigen::Vector3d(std::log(0.5), std::log(0.2), std::log(0.3)));
}

TEST(ExpectationMaximisation, OneComponentIsTheMoments) {
  Stream stream(121);
  const WeightedSamples samples(random_matrix(3, 200, stream), random_vector(200, stream));
  const EmResult fit = fit_mixture(samples, {.regularisation = 1e-12}, stream);
  expect_close(fit.mixture.mean(), samples.mean(), 1e-10);
  expect_close(fit.mixture.covariance(), samples.covariance(), 1e-9);
  EXPECT_TRUE(fit.converged);
}

// The maximum likelihood fit of n points has KL about (free parameters) / (2 n) = 17 / 2000 from
// the truth. Mutation seen to fail: responsibilities without the mixing weights.
TEST(ExpectationMaximisation, RecoversAKnownMixture) {
  Stream stream(122);
  const GaussianMixture truth = known();
  const WeightedSamples samples(truth.sample(1000, stream));
  const EmResult fit = fit_mixture(samples, {.num_components = 3, .num_restarts = 3}, stream);
  EXPECT_TRUE(fit.converged);
  const Estimate kl = kl_divergence(truth, fit.mixture, 20000, stream);
  EXPECT_LT(kl.value, 3 * 17.0 / 2000 + 5 * kl.standard_error);
  EXPECT_NEAR(fit.mean_log_likelihood, fit.mixture.log_probs(samples.points()).mean(), 1e-9);
  EXPECT_GE(fit.mean_log_likelihood, truth.log_probs(samples.points()).mean());
}

TEST(ExpectationMaximisation, WeightsCountAsRepetitions) {
  Stream stream(123);
  const Eigen::MatrixXd x = known().sample(200, stream);
  Eigen::MatrixXd doubled(2, 300);
  doubled << x, x.leftCols(100);
  Eigen::VectorXd log_weights = Eigen::VectorXd::Zero(200);
  log_weights.head(100).setConstant(std::log(2.0));
  const EmOptions options{
      .num_components = 3, .max_iterations = 2000, .tolerance = 1e-13, .num_restarts = 10};
  const EmResult a = fit_mixture(WeightedSamples(x, log_weights), options, stream);
  const EmResult b = fit_mixture(WeightedSamples(doubled), options, stream);
  EXPECT_NEAR(a.mean_log_likelihood, b.mean_log_likelihood, 1e-7);
}

TEST(ExpectationMaximisation, IsDeterministicAndSurvivesDegenerateData) {
  Stream stream(124);
  Eigen::MatrixXd x(2, 6);
  x << 0, 0, 0, 1, 1, 1, 0, 0, 0, 2, 2, 2;  // two distinct points, on a line
  const EmOptions options{.num_components = 4};
  Stream first(5), second(5);
  const EmResult a = fit_mixture(WeightedSamples(x), options, first);
  const EmResult b = fit_mixture(WeightedSamples(x), options, second);
  EXPECT_TRUE(std::isfinite(a.mean_log_likelihood));
  EXPECT_EQ(a.mean_log_likelihood, b.mean_log_likelihood);
  EXPECT_EQ(a.mixture.log_weights(), b.mixture.log_weights());
  Eigen::MatrixXd flat = Eigen::MatrixXd::Constant(2, 10, 3);
  flat.row(0).setLinSpaced(0, 1);
  expect_error(ErrorKind::input, "do not vary in dimension 2",
               [&] { fit_mixture(WeightedSamples(flat), {}, stream); });
  expect_error(ErrorKind::usage, "num_components = 0",
               [&] { fit_mixture(WeightedSamples(x), {.num_components = 0}, stream); });
}

}  // namespace
}  // namespace epsfree
