#include "prob/mixtures/joint_mixture.hpp"

#include <Eigen/Cholesky>

#include "cases.hpp"

namespace epsfree {
namespace {

GaussianMixture density(const JointMixture& mixture) {
  std::vector<Gaussian> components;
  for (Index k = 0; k < mixture.num_components(); ++k) {
    components.push_back(Gaussian::from_covariance(
        mixture.means.col(k), mixture.covariances[static_cast<std::size_t>(k)]));
  }
  return GaussianMixture(std::move(components), mixture.log_weights);
}

Eigen::VectorXd random_weights(Index count, Stream& stream) {
  Eigen::VectorXd weights(count);
  for (double& weight : weights) weight = 0.2 + stream.exponential();
  return weights;
}

Eigen::MatrixXd weighted_covariance(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights) {
  const Eigen::VectorXd w = weights / weights.sum();
  const Eigen::MatrixXd centred = points.colwise() - points * w;
  return centred * w.asDiagonal() * centred.transpose();
}

/// Two clusters, `first` of `count` points in the first; far apart.
Eigen::MatrixXd two_clusters(Index count, Index first, Stream& stream) {
  Eigen::MatrixXd points = random_matrix(2, count, stream);
  points.leftCols(first).colwise() += Eigen::Vector2d(20, 0);
  points.rightCols(count - first) *= 0.5;
  points.rightCols(count - first).colwise() += Eigen::Vector2d(-10, 5);
  return points;
}

/// The component whose mean is nearest to a point.
Index nearest(const JointMixture& mixture, const Eigen::VectorXd& point) {
  Index k = 0;
  (mixture.means.colwise() - point).colwise().squaredNorm().minCoeff(&k);
  return k;
}

TEST(EffectiveSize, CountsEqualWeightsAndIgnoresTheirUnit) {
  EXPECT_DOUBLE_EQ(effective_size(Eigen::VectorXd::Constant(7, 0.3)), 7);
  EXPECT_DOUBLE_EQ(effective_size(Eigen::Vector3d(1, 0, 0)), 1);
  EXPECT_DOUBLE_EQ(effective_size(Eigen::Vector3d(2, 2, 0)), 2);
  EXPECT_DOUBLE_EQ(effective_size(Eigen::Vector3d(1, 2, 3)), 36.0 / 14);
}

// Mutations seen to fail: weights not normalised, their square roots missing.
TEST(JointMixture, OneComponentIsTheWeightedMoments) {
  Stream stream(311);
  const Eigen::MatrixXd points = random_covariance(3, stream) * random_matrix(3, 60, stream);
  const Eigen::VectorXd weights = random_weights(60, stream);
  const JointMixture mixture = JointMixtureFit(points, 1, weights).mixture();
  ASSERT_EQ(mixture.num_components(), 1);
  expect_close(mixture.means, points * weights / weights.sum(), 1e-12);
  const Eigen::MatrixXd covariance = weighted_covariance(points, weights);
  // The floor that keeps it positive definite is 1e-8 of the variances.
  expect_close(mixture.covariances[0], covariance, 2e-8 * covariance.diagonal().maxCoeff());
  EXPECT_NEAR(mixture.counts[0], effective_size(weights), 1e-10);
  EXPECT_DOUBLE_EQ(mixture.log_weights[0], 0);
}

// Mutation seen to fail: responsibilities without the examples' weights.
TEST(JointMixture, CountsSumToTheEffectiveSize) {
  Stream stream(312);
  const Eigen::MatrixXd points = random_matrix(2, 300, stream).array().cube();
  const Eigen::VectorXd weights = random_weights(300, stream);
  JointMixtureFit fit(points, 1, weights);
  for (Index K : {1, 2, 4, 8}) {
    const JointMixture mixture = fit.mixture();
    EXPECT_EQ(mixture.num_components(), K);
    EXPECT_NEAR(mixture.counts.sum(), effective_size(weights), 1e-9);
    EXPECT_NEAR(mixture.log_weights.array().exp().sum(), 1, 1e-12);
    for (const Eigen::MatrixXd& S : mixture.covariances) {
      EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(S).info(), Eigen::Success);
    }
    fit.grow();
  }
}

// Points on a parabola, which one Gaussian cannot describe. Mutation seen to fail: the pull of all
// data on each covariance not shrunk with K.
TEST(JointMixture, GrowingNeverLowersTheLikelihood) {
  Stream stream(313);
  Eigen::MatrixXd points = random_matrix(2, 1000, stream);
  points.row(1) = points.row(0).array().square() + 0.2 * points.row(1).array();
  const Eigen::VectorXd weights = random_weights(1000, stream);
  JointMixtureFit fit(points, 1, weights);
  double before = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 4; ++i) {
    const double mean = density(fit.mixture()).log_probs(points).dot(weights) / weights.sum();
    EXPECT_GT(mean, before + (i == 0 ? 0 : 0.03)) << fit.mixture().num_components();
    before = mean;
    fit.grow();
  }
}

/// What EM climbs: the weighted log likelihood and the logarithms of the priors on covariances and
/// weights that the pseudo-examples stand for.
double penalised(const JointMixture& mixture, const Eigen::MatrixXd& points,
                 const Eigen::VectorXd& weights, double prior_examples) {
  const double K = static_cast<double>(mixture.num_components());
  const double dim = static_cast<double>(mixture.dim());
  const Eigen::MatrixXd pull =
      prior_examples * std::pow(K, -2 / dim) * weighted_covariance(points, weights);
  double value =
      density(mixture).log_probs(points).dot(weights) * effective_size(weights) / weights.sum();
  for (Index k = 0; k < mixture.num_components(); ++k) {
    const Eigen::LLT<Eigen::MatrixXd> llt(mixture.covariances[static_cast<std::size_t>(k)]);
    const Eigen::MatrixXd L = llt.matrixL();
    value -= prior_examples * L.diagonal().array().log().sum() + 0.5 * llt.solve(pull).trace();
    value += mixture.log_weights[k] / K;
  }
  return value;
}

// Every iteration; the means' own pseudo-examples, a hundredth of one, are left out of it.
// Mutations seen to fail: the covariance around the old mean, its denominator without the
// pseudo-examples.
TEST(JointMixture, EveryIterationClimbsThePenalisedLikelihood) {
  Stream stream(314);
  Eigen::MatrixXd points = random_matrix(3, 200, stream);
  points.row(2) = points.row(0).cwiseProduct(points.row(1));
  const Eigen::VectorXd weights = random_weights(200, stream);
  const JointMixtureOptions options{.prior_examples = 4, .tolerance = 1e9};  // two iterations
  JointMixtureFit fit(points, 1, weights, options);
  fit.grow();
  fit.grow();
  double before = penalised(fit.mixture(), points, weights, options.prior_examples);
  const double first = before;
  for (int i = 0; i < 50; ++i) {
    fit.start_from(fit.mixture());
    const double now = penalised(fit.mixture(), points, weights, options.prior_examples);
    EXPECT_GT(now, before - 1e-3);
    before = now;
  }
  EXPECT_GT(before, first + 1);
}

// Mutation seen to fail: covariances around the mean of all data.
TEST(JointMixture, FindsTwoClustersAndTheirShares) {
  Stream stream(315);
  const Index count = 1000, first = 300;
  const Eigen::MatrixXd points = two_clusters(count, first, stream);
  JointMixtureFit fit(points, 1, Eigen::VectorXd::Ones(count));
  fit.grow();
  const JointMixture mixture = fit.mixture();
  const Index a = nearest(mixture, Eigen::Vector2d(20, 0));
  // The shares of this sample, up to the pseudo-examples.
  EXPECT_NEAR(std::exp(mixture.log_weights[a]), 0.3, 1.0 / count);
  EXPECT_NEAR(mixture.counts[a], first, 1e-6);
  EXPECT_NEAR(mixture.counts[1 - a], count - first, 1e-6);
  expect_close(mixture.means.col(a), points.leftCols(first).rowwise().mean(), 0.01);
  expect_close(mixture.means.col(1 - a), points.rightCols(count - first).rowwise().mean(), 0.01);
  // The covariances are pulled towards half the one of all, of which the largest entry is about
  // 190, by 4 of some 300 or 700 examples.
  const Eigen::MatrixXd all = weighted_covariance(points, Eigen::VectorXd::Ones(count)) / 2;
  const auto expected = [&](const Eigen::MatrixXd& cluster) -> Eigen::MatrixXd {
    const double n = static_cast<double>(cluster.cols());
    return (n * weighted_covariance(cluster, Eigen::VectorXd::Ones(cluster.cols())) + 4 * all) /
           (n + 4);
  };
  expect_close(mixture.covariances[static_cast<std::size_t>(a)], expected(points.leftCols(first)),
               1e-3);
  expect_close(mixture.covariances[static_cast<std::size_t>(1 - a)],
               expected(points.rightCols(count - first)), 1e-3);
}

// An integer weight is as many repetitions of a point, except that the pseudo-examples see fewer
// examples: (sum n)^2 / sum n^2 of them, not sum n. Where there are none, in one component, both
// are exactly the same, and counts differ by the ratio of the effective sizes alone. Mutation seen
// to fail: halves moved apart along the shortest axis.
TEST(JointMixture, IntegerWeightsAreRepetitions) {
  Stream stream(316);
  const Index count = 400;
  const Eigen::MatrixXd points = two_clusters(count, 100, stream);
  Eigen::VectorXd weights(count);
  std::vector<Index> repeated;
  for (Index i = 0; i < count; ++i) {
    const Index times = 1 + i % 3;
    weights[i] = static_cast<double>(times);
    for (Index j = 0; j < times; ++j) repeated.push_back(i);
  }
  const Eigen::MatrixXd repetitions = points(Eigen::all, repeated);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(repetitions.cols());
  const JointMixtureOptions options{.prior_examples = 0};
  JointMixtureFit weighted(points, 1, weights, options), plain(repetitions, 1, ones, options);
  const double ratio = effective_size(weights) / effective_size(ones);
  EXPECT_LT(ratio, 1);
  expect_close(weighted.mixture().means, plain.mixture().means, 1e-11);
  expect_close(weighted.mixture().covariances[0], plain.mixture().covariances[0], 1e-10);
  EXPECT_NEAR(weighted.mixture().counts[0] / plain.mixture().counts[0], ratio, 1e-12);
  weighted.grow();
  plain.grow();
  const JointMixture a = weighted.mixture(), b = plain.mixture();
  expect_close(a.means, b.means, 1e-2);  // a hundredth of a pseudo-example, of some 100
  expect_close(a.covariances[0], b.covariances[0], 1e-2);
  expect_close(a.counts / ratio, b.counts, 1e-6);
}

TEST(JointMixture, TheUnitOfTheWeightsDoesNotMatter) {
  Stream stream(317);
  const Eigen::MatrixXd points = two_clusters(100, 30, stream);
  const Eigen::VectorXd weights = random_weights(100, stream);
  JointMixtureFit a(points, 1, weights), b(points, 1, 1024 * weights);
  a.grow();
  b.grow();
  expect_close(a.mixture().means, b.mixture().means, 1e-12);
  expect_close(a.mixture().counts, b.mixture().counts, 1e-9);
}

// Points a million deviations from zero, rounded so that the shift is exact. Mutation seen to fail:
// the sums of the M step over points that are not centred.
TEST(JointMixture, AShiftOfTheDataShiftsTheMeansOnly) {
  Stream stream(318);
  Eigen::MatrixXd points = two_clusters(200, 70, stream);
  points = (points.array() * 1024).round() / 1024;
  const Eigen::Vector2d shift(1 << 20, -(1 << 22));
  JointMixtureFit a(points, 1, Eigen::VectorXd::Ones(200));
  JointMixtureFit b(points.colwise() + shift, 1, Eigen::VectorXd::Ones(200));
  for (int i = 0; i < 2; ++i) {
    a.grow();
    b.grow();
    const JointMixture near = a.mixture(), far = b.mixture();
    expect_close(far.means.colwise() - shift, near.means, 1e-7);
    for (std::size_t k = 0; k < near.covariances.size(); ++k) {
      expect_close(far.covariances[k], near.covariances[k], 1e-7);
    }
  }
}

TEST(JointMixture, StartsFromAMixtureOfOtherExamples) {
  Stream stream(319);
  const Eigen::MatrixXd points = two_clusters(600, 200, stream);
  std::vector<Index> some;
  for (Index i = 0; i < 600; ++i) {
    if (i % 5 != 0) some.push_back(i);
  }
  JointMixtureFit part(points(Eigen::all, some), 1, Eigen::VectorXd::Ones(480));
  JointMixtureFit whole(points, 1, Eigen::VectorXd::Ones(600)), started = whole;
  started.start_from(part.mixture());  // of one component: nothing to start from
  expect_close(started.mixture().means, whole.mixture().means, 0);
  part.grow();
  whole.grow();
  started.start_from(part.mixture());
  // Both describe all 600 points now.
  expect_close(started.mixture().means, whole.mixture().means, 1e-4);
  expect_close(started.mixture().counts, whole.mixture().counts, 1e-4);
}

// Some statistics are copies or constants. Mutation seen to fail: no floor under the variances.
TEST(JointMixture, SurvivesDegenerateDirections) {
  Stream stream(320);
  Eigen::MatrixXd points = random_matrix(4, 100, stream);
  points.row(1) = 2 * points.row(0);
  points.row(3).setConstant(5);
  JointMixtureFit fit(points, 1, Eigen::VectorXd::Ones(100));
  for (int i = 0; i < 3; ++i) {
    const JointMixture mixture = fit.mixture();
    EXPECT_TRUE(mixture.means.allFinite());
    EXPECT_TRUE(mixture.log_weights.allFinite());
    for (const Eigen::MatrixXd& S : mixture.covariances) EXPECT_TRUE(S.allFinite());
    fit.grow();
  }
}

}  // namespace
}  // namespace epsfree
