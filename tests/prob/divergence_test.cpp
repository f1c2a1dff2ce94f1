#include "epsfree/divergence.hpp"

#include <limits>

#include "cases.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior.hpp"

namespace epsfree {
namespace {

// Mutation seen to fail: the entries above the diagonal of U_q U_p^-1 left out.
TEST(Divergence, ClosedFormAgreesWithMonteCarlo) {
  Stream stream(111);
  const Gaussian p = random_gaussian(3, stream), q = random_gaussian(3, stream);
  const double exact = kl_divergence(p, q);
  const Eigen::MatrixXd x = p.sample(40000, stream);
  const Eigen::ArrayXd terms = p.log_probs(x) - q.log_probs(x);
  const double error = std::sqrt((terms - terms.mean()).square().mean() / 40000);
  EXPECT_NEAR(terms.mean(), exact, 5 * error);
}

TEST(Divergence, KnownValuesInOneDimension) {
  const auto normal = [](double mean, double std) {
    return Gaussian::from_covariance(Eigen::VectorXd::Constant(1, mean),
                                     Eigen::MatrixXd::Constant(1, 1, std * std));
  };
  EXPECT_NEAR(kl_divergence(normal(0, 1), normal(2, 1)), 2, 1e-14);
  EXPECT_NEAR(kl_divergence(normal(0, 1), normal(0, 3)), std::log(3.0) + 1. / 18 - 0.5, 1e-14);
  EXPECT_NEAR(kl_divergence(normal(0, 1), normal(0, 1e12)), std::log(1e12) - 0.5, 1e-10);
  EXPECT_EQ(kl_divergence(normal(1, 2), normal(1, 2)), 0);
  // Close to each other: d^2 - d^3 ... to many digits, where trace - log det would have none.
  EXPECT_NEAR(kl_divergence(normal(0, 1), normal(0, 1 + 1e-9)) / 1e-18, 1, 1e-5);
}

TEST(Divergence, MixturesByMonteCarloWithTheirError) {
  Stream stream(112);
  const GaussianMixture p = random_mixture(2, 3, stream);
  // The same density with a component split in two: KL zero, but not by construction.
  std::vector<Gaussian> parts = p.components();
  parts.push_back(parts.front());
  Eigen::VectorXd log_weights(4);
  log_weights << p.log_weights(), p.log_weights()(0) + std::log(0.7);
  log_weights(0) += std::log(0.3);
  const Estimate zero = kl_divergence(p, GaussianMixture(parts, log_weights), 1000, stream);
  EXPECT_NEAR(zero.value, 0, 1e-12);
  const GaussianMixture q = random_mixture(2, 2, stream);
  const Estimate coarse = kl_divergence(p, q, 2000, stream);
  const Estimate fine = kl_divergence(p, q, 50000, stream);
  EXPECT_GT(fine.value, 0);
  EXPECT_NEAR(coarse.value, fine.value, 5 * std::hypot(coarse.standard_error, fine.standard_error));
  EXPECT_NEAR(coarse.standard_error / fine.standard_error, 5, 1.5);
  const Estimate single =
      kl_divergence(GaussianMixture(p.component(0)), GaussianMixture(p.component(1)), 0, stream);
  EXPECT_EQ(single.standard_error, 0);
  EXPECT_EQ(single.value, kl_divergence(p.component(0), p.component(1)));
}

// Posteriors that a support cuts: p uniform-like on [0, 1] under a wide Gaussian, q half as wide.
// Mutation seen to fail: -q left out of the KL, log q without its sign in the cross-entropy.
TEST(Divergence, OfPosteriorsCountsTheSupport) {
  Stream stream(113);
  const auto posterior = [](double low, double high) {
    const Gaussian wide =
        Gaussian::from_covariance(Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Constant(1, 1, 1e12));
    return MixturePosterior(independent_prior({Marginal::uniform(low, high)}), {"a"},
                            GaussianMixture(wide));
  };
  const MixturePosterior p = posterior(0, 1), q = posterior(-1, 3);
  const Estimate kl = kl_divergence(p, q, 1000, stream);
  EXPECT_NEAR(kl.value, std::log(4.0), 1e-9);
  EXPECT_NEAR(kl.standard_error, 0, 1e-9);
  const Eigen::MatrixXd samples = p.sample(1000, stream);
  EXPECT_NEAR(cross_entropy(samples, q).value, std::log(4.0), 1e-9);
  EXPECT_NEAR(kl_divergence(samples, p.log_probs(samples), q).value, std::log(4.0), 1e-9);
  // The other way round: mass where p has none.
  EXPECT_EQ(kl_divergence(q, p, 1000, stream).value, std::numeric_limits<double>::infinity());
  EXPECT_THROW(cross_entropy(samples.leftCols(1), q), Error);
  EXPECT_THROW(kl_divergence(samples, p.log_probs(samples).head(10), q), Error);
}

}  // namespace
}  // namespace epsfree
