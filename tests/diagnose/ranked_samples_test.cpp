#include "diagnose/calibration/ranked_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/calibration/ecdf_bands.hpp"

namespace epsfree {
namespace {

const PriorPtr kPrior = gaussian_prior(Gaussian::standard(1));

PosteriorPtr standard_normal() {
  return std::make_shared<MixturePosterior>(kPrior, default_names(1),
                                            GaussianMixture(Gaussian::standard(1)));
}

TEST(RankedSamples, CountThoseBelow) {
  Stream stream(1), ties(2);
  const RankedSamples samples(*standard_normal(), 99, stream);
  ASSERT_EQ(samples.points().cols(), 99);
  const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(99, 1, 99);
  EXPECT_EQ(samples.rank(0.5, values, ties), 0);
  EXPECT_EQ(samples.rank(10.5, values, ties), 10);
  EXPECT_EQ(samples.rank(100, values, ties), 99);
}

// A posterior of constant density: all ties. The place is uniform, not always the first.
TEST(RankedSamples, TiesAreBrokenAtRandom) {
  Stream stream(61001), ties(61002);
  const RankedSamples samples(*standard_normal(), 9, stream);
  Eigen::VectorXi ranks(400);
  for (int& rank : ranks) rank = samples.rank(7, Eigen::VectorXd::Constant(9, 7), ties);
  EXPECT_GT(EcdfBands(400, 9).p_value(ranks), 0.001);
  // Only those that are equal change places with the truth.
  Eigen::VectorXd values(9);
  values << 1, 2, 7, 7, 7, 8, 8, 9, 9;
  Eigen::VectorXi seen = Eigen::VectorXi::Zero(10);
  for (int i = 0; i < 100; ++i) ++seen[samples.rank(7, values, ties)];
  EXPECT_EQ(seen.segment(2, 4).sum(), 100);
  EXPECT_TRUE((seen.segment(2, 4).array() > 0).all());
}

// Truths and the points of their posteriors from one distribution: ranks among all cells are
// uniform, though there are only 15 points, half of them of no weight.
TEST(RankedSamples, AFewWeightedPointsGiveUniformRanks) {
  constexpr Index kCells = 999;
  Stream stream(61003), ties(61004);
  Eigen::VectorXi ranks(500);
  for (int& rank : ranks) {
    Eigen::MatrixXd points(1, 30);
    Eigen::VectorXd log_weights(30);
    for (Index i = 0; i < 30; ++i) {
      points(0, i) = i % 2 == 0 ? stream.normal() : 100;
      log_weights[i] = i % 2 == 0 ? 0 : -1000;
    }
    const SamplesPosterior posterior(kPrior, default_names(1),
                                     WeightedSamples(std::move(points), log_weights));
    const RankedSamples samples(posterior, kCells, stream);
    ASSERT_EQ(samples.points().cols(), 30);
    rank = samples.rank(stream.normal(), samples.points().row(0).transpose(), ties);
    EXPECT_LT(samples.mean()[0], 2);
    EXPECT_LT(samples.standard_deviation()[0], 3);
  }
  EXPECT_GE(ranks.minCoeff(), 0);
  EXPECT_LE(ranks.maxCoeff(), kCells);
  EXPECT_GT(EcdfBands(500, kCells).p_value(ranks), 0.001);
}

}  // namespace
}  // namespace epsfree
