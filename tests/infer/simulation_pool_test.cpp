#include "infer/local/simulation_pool.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/truncated_mixture.hpp"
#include "prob/mixtures/joint_mixture.hpp"

namespace epsfree {
namespace {

/// Simulations of nothing: coordinates from a proposal, with one statistic that does not matter.
SimulatedPairs draw(const Prior& prior, const Proposal& proposal, Index count, Stream& stream) {
  SimulatedPairs pairs{Eigen::MatrixXd(prior.dim(), count), Eigen::MatrixXd::Zero(1, count)};
  if (proposal.is_prior()) {
    const Eigen::MatrixXd thetas = prior.sample(count, stream);
    for (Index i = 0; i < count; ++i) {
      pairs.coordinates.col(i) = prior.to_coordinates(thetas.col(i));
    }
  } else {
    pairs.coordinates =
        TruncatedMixture(GaussianMixture(*proposal.gaussian), prior.coordinate_support())
            .sample(count, stream);
  }
  return pairs;
}

Proposal gaussian_proposal(const Eigen::Vector2d& mean, double variance) {
  return {Gaussian::from_covariance(mean, variance * Eigen::Matrix2d::Identity())};
}

/// Bounded, skewed and in coordinates of its own.
PriorPtr some_prior() {
  return independent_prior({Marginal::uniform(-1, 2), Marginal::gamma(3, 2)});
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// One dimension, where everything can be written out: n_0 from a uniform prior on [-1, 2], n_1 from
// N(1.5, 0.5^2) on it, and the target exp(-2 (z - 0.5)^2). Mutations seen to fail: proposals not
// normalised on the support, the numbers of simulations forgotten, a simulation's own proposal
// only.
TEST(SimulationPool, WeightsAreTheBalanceHeuristic) {
  const PriorPtr prior = independent_prior({Marginal::uniform(-1, 2)});
  const Proposal narrow{Gaussian::from_covariance(Eigen::VectorXd::Constant(1, 1.5),
                                                  Eigen::MatrixXd::Constant(1, 1, 0.25))};
  Stream stream(1);
  SimulationPool pool(prior);
  pool.add({}, draw(*prior, {}, 30, stream));
  pool.add(narrow, draw(*prior, narrow, 70, stream));
  pool.add(narrow, {Eigen::MatrixXd(1, 0), Eigen::MatrixXd(1, 0)});  // nothing usable came of it
  ASSERT_EQ(pool.size(), 100);
  const LocalTarget target = LocalTarget::of(Gaussian::from_covariance(
      Eigen::VectorXd::Constant(1, 0.5), Eigen::MatrixXd::Constant(1, 1, 0.25)));
  const double mass = normal_cdf(1) - normal_cdf(-5);
  Eigen::VectorXd expected(100);
  for (Index i = 0; i < 100; ++i) {
    const double z = pool.coordinates()(0, i);
    const double proposed =
        30 / 3.0 + 70 / mass * std::exp(-2 * std::pow(z - 1.5, 2)) / (0.5 * std::sqrt(2 * M_PI));
    expected[i] = std::exp(-2 * std::pow(z - 0.5, 2)) / proposed;
  }
  expected /= expected.maxCoeff();
  EXPECT_LT((pool.weights_towards(target) - expected).cwiseAbs().maxCoeff(), 1e-9);
}

/// Expects a weighted mean within five of its standard errors.
void expect_mean(const Eigen::VectorXd& weights, const Eigen::VectorXd& values, double exact) {
  const double total = weights.sum(), mean = weights.dot(values) / total;
  const double error =
      std::sqrt((weights.array() * (values.array() - mean)).square().sum()) / total;
  EXPECT_NEAR(mean, exact, 5 * error);
}

// Mutations seen to fail: the density of theta instead of z for the prior, weights without the
// proposals.
TEST(SimulationPool, WeightedMeansAreThoseOfTheTarget) {
  const PriorPtr prior = some_prior();
  Stream stream(2);
  SimulationPool pool(prior);
  const Eigen::VectorXd centre = prior->coordinate_mean();
  for (const Proposal& proposal :
       {Proposal{}, gaussian_proposal(centre + Eigen::Vector2d(0.5, 0.2), 0.3),
        gaussian_proposal(centre - Eigen::Vector2d(0.6, 0.1), 0.1)}) {
    pool.add(proposal, draw(*prior, proposal, 2000, stream));
  }
  Eigen::MatrixXd thetas(2, pool.size());
  for (Index i = 0; i < pool.size(); ++i) {
    thetas.col(i) = prior->from_coordinates(pool.coordinates().col(i));
  }
  const Eigen::VectorXd to_prior = pool.weights_towards(LocalTarget::of_prior(*prior));
  for (Index d = 0; d < 2; ++d) {
    const double mean = prior->mean()[d], variance = prior->covariance()(d, d);
    expect_mean(to_prior, thetas.row(d), mean);
    expect_mean(to_prior, (thetas.row(d).array() - mean).square(), variance);
  }
  const Gaussian narrow = Gaussian::from_covariance(centre + Eigen::Vector2d(0.7, -0.1),
                                                    Eigen::Vector2d(0.5, 0.1).asDiagonal());
  const TruncatedMixture exact(GaussianMixture(narrow), prior->coordinate_support());
  const Eigen::VectorXd to_narrow = pool.weights_towards(LocalTarget::of(narrow));
  for (Index d = 0; d < 2; ++d) {
    expect_mean(to_narrow, pool.coordinates().row(d), exact.mean()[d]);
  }
  EXPECT_DOUBLE_EQ(to_narrow.maxCoeff(), 1);
  EXPECT_GT(to_narrow.minCoeff(), 0);
  EXPECT_LT(effective_size(to_narrow), static_cast<double>(pool.size()));
}

// In which order, and in how many pieces, simulations come does not matter.
TEST(SimulationPool, RoundsOfOneProposalAreOne) {
  const PriorPtr prior = some_prior();
  Stream stream(3);
  const Proposal proposal = gaussian_proposal(prior->coordinate_mean(), 0.3);
  const SimulatedPairs a = draw(*prior, {}, 20, stream), b = draw(*prior, proposal, 50, stream);
  const auto part = [](const SimulatedPairs& pairs, Index start, Index count) {
    return SimulatedPairs{pairs.coordinates.middleCols(start, count),
                          pairs.statistics.middleCols(start, count)};
  };
  SimulationPool whole(prior), pieces(prior);
  whole.add({}, a);
  whole.add(proposal, b);
  pieces.add({}, part(a, 0, 7));
  pieces.add({}, part(a, 7, 13));
  pieces.add(proposal, part(b, 0, 1));
  pieces.add(proposal, part(b, 1, 49));
  const LocalTarget target = LocalTarget::of_prior(*prior);
  EXPECT_LT((whole.weights_towards(target) - pieces.weights_towards(target)).cwiseAbs().maxCoeff(),
            1e-12);
}

// A hundred million deviations from zero, at points that a double holds exactly there. Mutation
// seen to fail: quadratics around zero.
TEST(SimulationPool, AFarOffOriginLosesNoDigits) {
  const double far = 1 << 27;
  const auto weights = [&](double shift) {
    Stream stream(4);
    const PriorPtr prior = gaussian_prior(Gaussian::from_covariance(
        Eigen::VectorXd::Constant(1, shift), Eigen::MatrixXd::Ones(1, 1)));
    const Proposal narrow{Gaussian::from_covariance(Eigen::VectorXd::Constant(1, shift + 0.5),
                                                    Eigen::MatrixXd::Constant(1, 1, 0.01))};
    SimulationPool pool(prior);
    for (const Proposal& proposal : {Proposal{}, narrow}) {
      SimulatedPairs pairs{Eigen::MatrixXd(1, 50), Eigen::MatrixXd::Zero(1, 50)};
      for (double& z : pairs.coordinates.reshaped()) {
        z = shift + std::round(1024 * (proposal.is_prior() ? 1 : 0.1) * stream.normal()) / 1024;
      }
      pool.add(proposal, pairs);
    }
    const Gaussian target = Gaussian::from_covariance(Eigen::VectorXd::Constant(1, shift + 0.25),
                                                      Eigen::MatrixXd::Constant(1, 1, 0.04));
    return pool.weights_towards(
        LocalTarget::between(LocalTarget::of_prior(*prior), LocalTarget::of(target), 0.8));
  };
  EXPECT_LT((weights(far) - weights(0)).cwiseAbs().maxCoeff(), 1e-6);
}

Gaussian one(double mean, double std) {
  return Gaussian::from_covariance(Eigen::VectorXd::Constant(1, mean),
                                   Eigen::MatrixXd::Constant(1, 1, std * std));
}

TEST(LocalTarget, IsTheDensityUpToAConstantAroundAnyOrigin) {
  const LocalTarget target = LocalTarget::of(one(3, 2));
  const LocalTarget moved = target.around(Eigen::VectorXd::Constant(1, -7));
  const auto difference = [](const auto& density) {
    return density(Eigen::VectorXd::Constant(1, 4)) - density(Eigen::VectorXd::Constant(1, -1));
  };
  const Gaussian exact = one(3, 2);
  const double expected = difference([&](const Eigen::VectorXd& z) { return exact.log_prob(z); });
  EXPECT_NEAR(difference(target), expected, 1e-12);
  EXPECT_NEAR(difference(moved), expected, 1e-12);
}

TEST(LocalTarget, OfAPriorIsItsDensityInCoordinates) {
  const PriorPtr prior = some_prior();
  const LocalTarget target = LocalTarget::of_prior(*prior);
  Stream stream(5);
  const auto exact = [&](const Eigen::VectorXd& z) {
    return prior->log_prob(prior->from_coordinates(z)) + prior->log_jacobian(z);
  };
  const Eigen::VectorXd start = prior->to_coordinates(prior->sample(stream));
  for (int i = 0; i < 10; ++i) {
    const Eigen::VectorXd z = prior->to_coordinates(prior->sample(stream));
    EXPECT_NEAR(target(z) - target(start), exact(z) - exact(start), 1e-9);
  }
}

// Of two Gaussians with precisions P and Q it has (1 - s) P + s Q. Mutation seen to fail: the
// origins' difference ignored.
TEST(LocalTarget, BetweenIsAGeometricMean) {
  const LocalTarget a = LocalTarget::of(one(-1, 2)), b = LocalTarget::of(one(3, 0.5));
  for (const double share : {0.0, 0.3, 1.0}) {
    const LocalTarget between = LocalTarget::between(a, b, share);
    const auto difference = [&](const LocalTarget& t) {
      return t(Eigen::VectorXd::Constant(1, 2.5)) - t(Eigen::VectorXd::Constant(1, -2));
    };
    EXPECT_NEAR(difference(between), (1 - share) * difference(a) + share * difference(b), 1e-12);
  }
}

}  // namespace
}  // namespace epsfree
