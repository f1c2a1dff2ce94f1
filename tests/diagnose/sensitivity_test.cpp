#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/toy_procedures.hpp"
#include "epsfree/diagnose.hpp"
#include "epsfree/error.hpp"
#include "epsfree/mixture_density_network.hpp"

namespace epsfree {
namespace {

PosteriorPtr normal_posterior(double mean, double deviation) {
  static const PriorPtr prior = gaussian_prior(Gaussian::standard(1));
  return gaussian_posterior(
      prior, Gaussian::from_covariance(Eigen::VectorXd::Constant(1, mean),
                                       Eigen::MatrixXd::Constant(1, 1, deviation * deviation)));
}

// Means of standard deviation sqrt(2) a around a posterior of width 1; five standard errors of 2000
// samples.
TEST(NetworkSensitivity, IsTheSpreadOfTheMembers) {
  const std::vector<PosteriorPtr> same = {normal_posterior(0, 1), normal_posterior(0, 1)};
  EXPECT_LT(network_sensitivity(same).value, 0.12);
  EXPECT_EQ(network_sensitivity(same).verdict, Verdict::pass);
  const std::vector<PosteriorPtr> apart = {normal_posterior(-1, 1), normal_posterior(1, 1)};
  const Diagnosis found = network_sensitivity(apart);
  EXPECT_NEAR(found.value, std::sqrt(2.0), 0.12);
  EXPECT_EQ(found.verdict, Verdict::fail);
  const std::vector<PosteriorPtr> widths = {normal_posterior(0, 1), normal_posterior(0, 2)};
  EXPECT_NEAR(network_sensitivity(widths).value, std::log(2.0) / std::sqrt(2.0), 0.12);
  EXPECT_THROW(network_sensitivity(std::span(same).first(1)), Error);

  // The band holds both densities: at -1 that of the left one is 0.4, of the right one 0.05.
  const DiagnosisTable* band = found.table("marginal of theta1");
  ASSERT_NE(band, nullptr);
  Index at = 0;
  (band->values.col(0).array() + 1).abs().minCoeff(&at);
  EXPECT_LT(band->values(at, 1), 0.15);
  EXPECT_GT(band->values(at, 3), 0.3);
}

std::shared_ptr<const Estimator> estimator(double log_std) {
  Stream init(1);
  const NetworkOptions options = {.hidden_units = {5}, .initial_log_std = log_std};
  return std::make_shared<Estimator>(Estimator::Parts{
      .prior = gaussian_prior(Gaussian::standard(2)),
      .names = {"a", "b"},
      .method = "mdn-with-prior",
      .statistics = Standardiser::identity(3),
      .parameters = Standardiser::identity(2),
      .conditional = std::make_shared<MixtureDensityNetwork<float>>(3, 2, options, init),
      .proposal = {},
      .observed = Eigen::Vector3d(1, 2, 3)});
}

TEST(WeightDraws, VaryAsMuchAsTheWeightsDo) {
  const Eigen::Vector3d observed(1, 2, 3);
  const auto certain = weight_draws(*estimator(-15), observed, 3, 1);
  const auto uncertain = weight_draws(*estimator(-1.5), observed, 3, 1);
  ASSERT_EQ(certain.size(), 3u);
  const Eigen::VectorXd mean = estimator(-15)->posterior(observed)->mean();
  EXPECT_LT((certain[2]->mean() - mean).norm(), 1e-4);
  EXPECT_GT((uncertain[2]->mean() - mean).norm(), 1e-2);
  EXPECT_GT((uncertain[2]->mean() - uncertain[1]->mean()).norm(), 1e-2);
  EXPECT_EQ(uncertain[1]->mean(), weight_draws(*estimator(-1.5), observed, 3, 1)[1]->mean());
}

}  // namespace
}  // namespace epsfree
