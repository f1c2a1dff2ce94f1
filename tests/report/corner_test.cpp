#include "report/drawing/corner.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report/xml_text.hpp"

namespace epsfree {
namespace {

PosteriorPtr correlated(Index dim) {
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Constant(dim, dim, 0.6);
  covariance.diagonal().setOnes();
  return std::make_shared<MixturePosterior>(
      gaussian_prior(Gaussian::from_covariance(Eigen::VectorXd::Zero(dim),
                                               100 * Eigen::MatrixXd::Identity(dim, dim))),
      default_names(dim),
      GaussianMixture(Gaussian::from_covariance(Eigen::VectorXd::Zero(dim), covariance)));
}

TEST(Corner, DensitiesAreThePosteriorsOwn) {
  const CornerPlot plot = corner_plot(correlated(3), std::nullopt);
  ASSERT_EQ(plot.marginals.size(), 3u);
  ASSERT_EQ(plot.pairs.size(), 3u);
  EXPECT_TRUE(plot.exact);
  for (const CornerMarginal& each : plot.marginals) {
    for (Index i = 0; i < each.x.size(); ++i) {
      EXPECT_NEAR(each.density[i], std::exp(-0.5 * each.x[i] * each.x[i]) / std::sqrt(2 * M_PI),
                  1e-9);
      EXPECT_NEAR(each.prior[i], std::exp(-0.005 * each.x[i] * each.x[i]) / std::sqrt(200 * M_PI),
                  1e-9);
    }
  }
  for (const CornerPair& each : plot.pairs) {
    EXPECT_NEAR(each.correlation, 0.6, 1e-9);
    const double cell = (each.x[1] - each.x[0]) * (each.y[1] - each.y[0]);
    EXPECT_NEAR(each.density.sum() * cell, 1, 0.01);
    // The long axis is the diagonal: the first parameter runs along x.
    const Index last = each.x.size() - 1;
    EXPECT_GT(each.density(last * 3 / 4, last * 3 / 4), each.density(last * 3 / 4, last / 4));
  }
}

TEST(Corner, SamplesAreSmoothed) {
  Stream stream(1);
  const PosteriorPtr exact = correlated(2);
  const PosteriorPtr samples = std::make_shared<SamplesPosterior>(
      exact->prior_ptr(), exact->names(), WeightedSamples(exact->sample(20000, stream)));
  const CornerPlot plot = corner_plot(samples, std::nullopt);
  EXPECT_FALSE(plot.exact);
  const CornerMarginal& first = plot.marginals.front();
  const double step = first.x[1] - first.x[0];
  EXPECT_NEAR(first.density.sum() * step, 1, 0.01);
  EXPECT_NEAR(first.density.maxCoeff(), 1 / std::sqrt(2 * M_PI), 0.04);
  const CornerPair& pair = plot.pairs.front();
  EXPECT_NEAR(pair.density.sum() * (pair.x[1] - pair.x[0]) * (pair.y[1] - pair.y[0]), 1, 0.02);
}

TEST(Corner, ShowsAtMostEightAndTheTruthUnlessItIsTooFarAway) {
  Eigen::VectorXd truth = Eigen::VectorXd::Constant(10, 8.0);
  truth[1] = 1e6;
  const CornerPlot plot = corner_plot(correlated(10), truth);
  EXPECT_EQ(plot.marginals.size(), 8u);
  EXPECT_EQ(plot.num_left_out, 2);
  EXPECT_GT(plot.marginals[0].high, 8);
  EXPECT_LT(plot.marginals[1].high, 8);  // a posterior that cannot be seen tells nothing
  const std::string svg = corner_svg(plot, "corner", "Title <1>", "Said & done");
  EXPECT_NO_THROW(parse_xml(svg));
  EXPECT_NE(svg.find("Title &lt;1&gt;"), std::string::npos);
  EXPECT_NE(svg.find(">truth<"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Corner, OneParameterIsAPictureToo) {
  const CornerPlot plot = corner_plot(correlated(1), std::nullopt);
  EXPECT_TRUE(plot.pairs.empty());
  EXPECT_NO_THROW(parse_xml(corner_svg(plot, "c", "t", "d")));
  EXPECT_EQ(corner_csv(plot).substr(0, 26), "parameter,x,density,prior\n");
}

// Where bounds cut much off, densities of many parameters are integrals that take minutes.
TEST(Corner, DoesNotIntegrateOverManyParameters) {
  for (const Index dim : {3, 7}) {
    std::vector<Marginal> marginals(static_cast<std::size_t>(dim), Marginal::uniform(-0.5, 4));
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Constant(dim, dim, 0.6);
    covariance.diagonal().setOnes();
    const PosteriorPtr cut = std::make_shared<MixturePosterior>(
        independent_prior(marginals), default_names(dim),
        GaussianMixture(Gaussian::from_covariance(Eigen::VectorXd::Zero(dim), covariance)));
    const CornerPlot plot = corner_plot(cut, std::nullopt);
    EXPECT_EQ(plot.exact, dim == 3);
    for (const CornerMarginal& each : plot.marginals) {
      EXPECT_NEAR(each.density.sum() * (each.x[1] - each.x[0]), 1, 0.06);
    }
  }
  // Bounds that cut next to nothing off do not count.
  std::vector<Marginal> wide(7, Marginal::uniform(-4.2, 4.2));
  const PosteriorPtr whole = std::make_shared<MixturePosterior>(
      independent_prior(wide), default_names(7),
      GaussianMixture(
          Gaussian::from_covariance(Eigen::VectorXd::Zero(7), Eigen::MatrixXd::Identity(7, 7))));
  EXPECT_TRUE(corner_plot(whole, std::nullopt).exact);
}

TEST(Corner, NamesAreQuotedInItsTableAndShortenedInThePicture) {
  const PosteriorPtr plain = correlated(2);
  const PosteriorPtr posterior = std::make_shared<MixturePosterior>(
      plain->prior_ptr(),
      std::vector<std::string>{"a,\"b\"", "a very long parameter name that goes on and on and on"},
      dynamic_cast<const MixturePosterior&>(*plain).coordinates().mixture());
  const CornerPlot plot = corner_plot(posterior, std::nullopt);
  EXPECT_NE(corner_csv(plot).find("\n\"a,\"\"b\"\"\","), std::string::npos);
  const std::string svg = corner_svg(plot, "c", "t", "d");
  EXPECT_NO_THROW(parse_xml(svg));
  EXPECT_NE(svg.find("a very long"), std::string::npos);
  EXPECT_NE(svg.find("…"), std::string::npos);
}

}  // namespace
}  // namespace epsfree
