#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "epsfree/posterior_algebra.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/mixtures/mixture_reduction.hpp"

namespace epsfree {
namespace {

/// What a mixture density network makes of an observation of theta with normal noise: eight
/// components around it, none of them right.
PosteriorPtr learnt(const PriorPtr& prior, const Eigen::VectorXd& x, double noise, Stream& stream) {
  std::vector<Gaussian> components;
  Eigen::VectorXd log_weights(8);
  for (Index k = 0; k < 8; ++k) {
    Eigen::VectorXd mean = x;
    Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(x.size(), x.size());
    for (Index j = 0; j < x.size(); ++j) {
      mean(j) += 0.5 * noise * stream.normal();
      factor(j, j) = std::exp(0.3 * stream.normal()) / noise;
      for (Index i = 0; i < j; ++i) factor(i, j) = 0.3 * stream.normal() / noise;
    }
    components.push_back(Gaussian::from_precision_factor(mean, factor));
    log_weights(k) = stream.normal();
  }
  return std::make_shared<MixturePosterior>(prior, default_names(x.size()),
                                            GaussianMixture(std::move(components), log_weights));
}

std::vector<PosteriorPtr> observations(const PriorPtr& prior, const Eigen::VectorXd& truth,
                                       double noise, int count, std::uint64_t seed) {
  Stream stream(seed);
  std::vector<PosteriorPtr> result;
  for (int i = 0; i < count; ++i) {
    Eigen::VectorXd x = truth;
    for (Index j = 0; j < x.size(); ++j) x(j) += noise * stream.normal();
    result.push_back(learnt(prior, x, noise, stream));
  }
  return result;
}

/// In one dimension: the total variation between a posterior and the product, by quadrature.
double distance_to_product(const Posterior& posterior, const std::vector<PosteriorPtr>& factors,
                           double low, double high) {
  constexpr int kPoints = 4000;
  const Prior& prior = posterior.prior();
  Eigen::MatrixXd thetas(1, kPoints);
  for (int i = 0; i < kPoints; ++i) thetas(0, i) = low + (high - low) * (i + 0.5) / kPoints;
  Eigen::VectorXd own = posterior.log_probs(thetas), exact(kPoints);
  for (int i = 0; i < kPoints; ++i) {
    exact(i) = -static_cast<double>(factors.size() - 1) * prior.log_prob(thetas.col(i));
  }
  for (const PosteriorPtr& each : factors) exact += each->log_probs(thetas);
  exact = exp_each(exact.array() - log_sum_exp(exact));
  own = exp_each(own.array() - log_sum_exp(own));
  return 0.5 * (exact - own).cwiseAbs().sum();
}

// Eight posteriors of eight components each had 16 million products. Mutations seen to fail: the
// prior divided out once too often; merged covariances without the distance of the means.
TEST(CombineAll, IsCloseToTheExactProductAndSaysHowClose) {
  const PriorPtr uniform =
      uniform_prior(Eigen::VectorXd::Constant(1, -4), Eigen::VectorXd::Constant(1, 4));
  const PriorPtr normal = gaussian_prior(Gaussian::from_covariance(
      Eigen::VectorXd::Constant(1, 0.5), Eigen::MatrixXd::Constant(1, 1, 4)));
  for (const PriorPtr& prior : {uniform, normal}) {
    for (const int count : {4, 8, 20, 100}) {
      const auto factors =
          observations(prior, Eigen::VectorXd::Constant(1, 0.7), 1, count, 100 + count);
      const CombinedPosterior all = combine_all(factors);
      EXPECT_FALSE(all.is_exact);
      const auto& mixture = dynamic_cast<const MixturePosterior&>(*all.posterior);
      EXPECT_LE(mixture.coordinates().mixture().num_components(), 32);
      const double distance = distance_to_product(*all.posterior, factors, -4, 4);
      EXPECT_LT(distance, 0.02) << count;
      // 2048 draws know it to about a fortieth of itself, besides a little noise.
      EXPECT_NEAR(all.total_variation, distance, 0.005 + 0.2 * distance) << count;
      EXPECT_TRUE(all.warning().empty());
    }
  }
}

TEST(CombineAll, HoldsAtTheEdgeOfThePrior) {
  // The truth lies on the bound, and half of what was learnt beyond it.
  const PriorPtr prior =
      uniform_prior(Eigen::VectorXd::Constant(1, 0), Eigen::VectorXd::Constant(1, 4));
  for (const double truth : {0.0, -0.5}) {
    const auto factors = observations(prior, Eigen::VectorXd::Constant(1, truth), 1, 50, 7);
    const CombinedPosterior all = combine_all(factors);
    const double distance = distance_to_product(*all.posterior, factors, 0, 1);
    EXPECT_LT(distance, 0.03) << truth;
    EXPECT_NEAR(all.total_variation, distance, 0.01 + 0.2 * distance) << truth;
  }
}

TEST(CombineAll, FewComponentsAreMultipliedExactly) {
  const PriorPtr prior =
      uniform_prior(Eigen::VectorXd::Constant(2, -4), Eigen::VectorXd::Constant(2, 4));
  const auto factors = observations(prior, Eigen::VectorXd::Zero(2), 1, 2, 5);
  const CombinedPosterior all = combine_all(factors);
  EXPECT_TRUE(all.is_exact);
  EXPECT_EQ(all.total_variation, 0);
  EXPECT_EQ(posterior_text(*all.posterior), posterior_text(*combine(*factors[0], *factors[1])));
}

TEST(CombineAll, TakesSecondsForAThousandObservations) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // Their time says nothing; a tenth of the observations goes through the same code.
  constexpr int kObservations = 100;
  constexpr double kMostSeconds = 300, kWidest = 0.3;
#else
  constexpr int kObservations = 1000;
  constexpr double kMostSeconds = 30, kWidest = 0.1;  // 0.3 to 4 s on one core
#endif
  for (const Index dim : {2, 5}) {
    const PriorPtr prior =
        uniform_prior(Eigen::VectorXd::Constant(dim, -4), Eigen::VectorXd::Constant(dim, 4));
    const Eigen::VectorXd truth = Eigen::VectorXd::LinSpaced(dim, -1, 1);
    const auto factors = observations(prior, truth, 1, kObservations, 3);
    const auto start = std::chrono::steady_clock::now();
    const CombinedPosterior all = combine_all(factors);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    RecordProperty("seconds_of_" + std::to_string(dim), std::to_string(seconds));
    EXPECT_LT(seconds, kMostSeconds) << dim;
    EXPECT_LT(all.total_variation, 0.02) << dim;
    // The noise of 1000 observations is a thirtieth, and the learnt components' jitter adds little.
    EXPECT_LT((all.posterior->mean() - truth).cwiseAbs().maxCoeff(), 2 * kWidest) << dim;
    const Eigen::VectorXd std = all.posterior->standard_deviation();
    EXPECT_LT(std.maxCoeff(), kWidest) << dim;
  }
}

TEST(ReduceComponents, KeepsTheMomentsAndMergesTheNearest) {
  const auto at = [](double mean, double std) {
    return Gaussian::from_covariance(Eigen::VectorXd::Constant(1, mean),
                                     Eigen::MatrixXd::Constant(1, 1, std * std));
  };
  const GaussianMixture mixture({at(0, 1), at(5, 1), at(0.1, 1), at(5.2, 1.1)},
                                Eigen::Vector4d(0.1, 0.4, 0.3, 0.2).array().log());
  const GaussianMixture two = reduce_components(mixture, {.most_components = 2});
  ASSERT_EQ(two.num_components(), 2);
  EXPECT_NEAR(two.mean()(0), mixture.mean()(0), 1e-12);
  EXPECT_NEAR(two.covariance()(0, 0), mixture.covariance()(0, 0), 1e-12);
  const double low = std::min(two.component(0).mean()(0), two.component(1).mean()(0));
  EXPECT_NEAR(low, 0.3 * 0.1 / 0.4, 1e-12);
}

}  // namespace
}  // namespace epsfree
