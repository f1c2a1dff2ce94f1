#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/divergence.hpp"
#include "epsfree/prior.hpp"

namespace epsfree {
namespace {

SamplesPosterior posterior_of(const Eigen::MatrixXd& points, const Eigen::VectorXd& log_weights) {
  const Index dim = points.rows();
  return {uniform_prior(Eigen::VectorXd::Constant(dim, -50), Eigen::VectorXd::Constant(dim, 50)),
          default_names(dim), WeightedSamples(points, log_weights)};
}

TEST(FitDensity, OneComponentHasTheWeightedMoments) {
  Stream stream(1);
  const Eigen::MatrixXd points = Gaussian::standard(2).sample(300, stream);
  const SamplesPosterior samples = posterior_of(points, points.row(0).transpose());
  const auto fitted = fit_density(samples, {.num_components = 1}, stream);
  EXPECT_TRUE(fitted->mean().isApprox(samples.mean(), 1e-9));
  EXPECT_TRUE(fitted->covariance().isApprox(samples.covariance(), 1e-6));
}

TEST(FitDensity, SeveralComponentsFindSeveralModesIfThereAreSamplesForThem) {
  Stream stream(2);
  Eigen::MatrixXd points = 0.1 * Gaussian::standard(1).sample(400, stream);
  points.leftCols(200).array() += 5;
  const SamplesPosterior many = posterior_of(points, Eigen::VectorXd::Zero(400));
  const auto two = fit_density(many, {.num_components = 2}, stream);
  EXPECT_EQ(two->coordinates().mixture().num_components(), 2);
  // Between two narrow modes there is nothing.
  EXPECT_LT(two->log_prob(Eigen::VectorXd::Constant(1, 2.5)), -50);
  const SamplesPosterior few = posterior_of(points.leftCols(30), Eigen::VectorXd::Zero(30));
  EXPECT_EQ(
      fit_density(few, {.num_components = 8}, stream)->coordinates().mixture().num_components(), 1);
}

}  // namespace
}  // namespace epsfree
