#include "infer/mdn/correction.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace epsfree {
namespace {

Eigen::MatrixXd covariance2(double a, double b, double rho) {
  Eigen::MatrixXd S(2, 2);
  S << a * a, rho * a * b, rho * a * b, b * b;
  return S;
}

GaussianMixture two_components() {
  return GaussianMixture(
      {Gaussian::from_covariance(Eigen::Vector2d(0.2, -0.1), covariance2(0.5, 0.4, 0.3)),
       Gaussian::from_covariance(Eigen::Vector2d(-0.4, 0.3), covariance2(0.3, 0.7, -0.5))},
      Eigen::Vector2d(std::log(0.3), std::log(0.7)));
}

// So many examples that every difference is known.
constexpr Index kMany = 1'000'000'000'000;
const PriorPtr kWideBox = uniform_prior(Eigen::Vector2d(-50, -50), Eigen::Vector2d(50, 50));
const PriorPtr kWideLine = independent_prior({Marginal::uniform(-50, 50)});

Gaussian proposal() {
  return Gaussian::from_covariance(Eigen::Vector2d(0.1, 0.2), covariance2(1.0, 1.2, 0.2));
}

// The formulas of appendix C as printed, with covariances and determinants.
// Put in to see it fail: c_k without log det S_k', m_k' without the proposal's term.
TEST(Correction, AgreesWithAppendixCForAUniformPrior) {
  const GaussianMixture q = two_components();
  const Gaussian p0 = proposal();
  const auto corrected = correct_analytically(q, *kWideBox, p0, kMany);
  ASSERT_TRUE(corrected);
  EXPECT_EQ(corrected->components_dropped, 0);

  const Eigen::MatrixXd P0 = p0.covariance().inverse();
  const Eigen::VectorXd m0 = p0.mean();
  Eigen::VectorXd alpha(2);
  for (Index k = 0; k < 2; ++k) {
    const Eigen::MatrixXd S = q.component(k).covariance(), P = S.inverse();
    const Eigen::VectorXd m = q.component(k).mean();
    const Eigen::MatrixXd S_new = (P - P0).inverse();
    const Eigen::VectorXd m_new = S_new * (P * m - P0 * m0);
    const double c = std::log(S.determinant()) - std::log(p0.covariance().determinant()) -
                     std::log(S_new.determinant()) + m.dot(P * m) - m0.dot(P0 * m0) -
                     m_new.dot(S_new.inverse() * m_new);
    alpha[k] = q.weights()[k] * std::exp(-0.5 * c);
    EXPECT_TRUE(corrected->mixture.component(k).mean().isApprox(m_new, 1e-10));
    EXPECT_TRUE(corrected->mixture.component(k).covariance().isApprox(S_new, 1e-10));
  }
  EXPECT_TRUE(corrected->mixture.weights().isApprox(alpha / alpha.sum(), 1e-10));
}

// What the correction means: corrected(z) / (q(z) p(z) / p~(z)) is the same everywhere.
void expect_proportional(const GaussianMixture& q, const Prior& prior, const Gaussian& p0,
                         const GaussianMixture& corrected) {
  std::vector<double> ratios;
  Stream stream(3);
  for (int i = 0; i < 50; ++i) {
    const Eigen::VectorXd z = p0.sample(stream);
    if (!prior.coordinate_support().contains(z)) continue;
    const double log_prior_z = prior.log_prob(prior.from_coordinates(z)) + prior.log_jacobian(z);
    ratios.push_back(corrected.log_prob(z) - q.log_prob(z) - log_prior_z + p0.log_prob(z));
  }
  ASSERT_GT(ratios.size(), 10u);
  for (double ratio : ratios) EXPECT_NEAR(ratio, ratios.front(), 1e-8);
}

TEST(Correction, IsTheRatioPointwiseForEveryFamilyOfPriors) {
  const GaussianMixture q = two_components();
  const Gaussian p0 = proposal();
  const std::vector<PriorPtr> priors = {
      kWideBox,
      gaussian_prior(Gaussian::from_covariance(Eigen::Vector2d(1, -1), covariance2(2, 3, 0.4))),
      independent_prior({Marginal::normal(0.5, 2), Marginal::uniform(-3, 3)}),
      independent_prior({Marginal::log_normal(0.1, 1.5), Marginal::log_uniform(0.01, 100)}),
      independent_prior({Marginal::exponential(2), Marginal::half_normal(1.5)}),
      independent_prior({Marginal::gamma(2, 3), Marginal::beta(2, 5)}),
      independent_prior({Marginal::truncated_normal(0, 1, -2, 2), Marginal::normal(0, 1)}),
      linear_image_prior(uniform_prior(Eigen::Vector2d(-4, -4), Eigen::Vector2d(4, 4)),
                         covariance2(1, 1, 0.5), Eigen::Vector2d(0.1, 0.1)),
  };
  for (const PriorPtr& prior : priors) {
    const auto corrected = correct_analytically(q, *prior, p0, kMany);
    ASSERT_TRUE(corrected) << prior->kind();
    EXPECT_EQ(corrected->components_dropped, 0) << prior->kind();
    expect_proportional(q, *prior, p0, corrected->mixture);
  }
}

// A Unix time as a parameter: far from zero compared with its width.
TEST(Correction, DoesNotDependOnTheOrigin) {
  const auto weight_at = [](double shift) {
    const Eigen::Vector2d origin(shift, -shift);
    std::vector<Gaussian> components;
    const GaussianMixture near = two_components();
    for (const Gaussian& component : near.components()) {
      components.push_back(
          Gaussian::from_precision_factor(component.mean() + origin, component.precision_factor()));
    }
    const Gaussian p0 =
        Gaussian::from_precision_factor(proposal().mean() + origin, proposal().precision_factor());
    const PriorPtr box = uniform_prior(origin.array() - 50, origin.array() + 50);
    return correct_analytically(GaussianMixture(components, near.log_weights()), *box, p0, kMany)
        ->mixture.weights()[0];
  };
  EXPECT_NEAR(weight_at(1.7e9), weight_at(0), 1e-5);  // 1.7e9 is known to 2e-7
}

TEST(Correction, AGaussianPriorAsItsOwnProposalChangesNothing) {
  const Gaussian p = proposal();
  const auto corrected = correct_analytically(two_components(), *gaussian_prior(p), p, kMany);
  ASSERT_TRUE(corrected);
  EXPECT_TRUE(corrected->mixture.mean().isApprox(two_components().mean(), 1e-10));
  EXPECT_TRUE(corrected->mixture.covariance().isApprox(two_components().covariance(), 1e-10));
}

// Along the second axis the component is wider than the proposal. Of 800 examples a precision is
// known to sqrt(2 / 800) = 5% of itself, and that is what the corrected precision becomes. Put in
// to see it fail: no damping (nothing is returned), and a floor that ignores the weight.
TEST(Correction, DampsAComponentThatIsWiderThanTheProposal) {
  const GaussianMixture q(
      {Gaussian::from_covariance(Eigen::Vector2d(0, 0), covariance2(0.5, 0.5, 0)),
       Gaussian::from_covariance(Eigen::Vector2d(0.1, 0.2), covariance2(0.5, 2.0, 0))},
      Eigen::Vector2d(std::log(0.2), std::log(0.8)));
  const auto corrected = correct_analytically(q, *kWideBox, Gaussian::standard(2), 1000);
  ASSERT_TRUE(corrected);
  EXPECT_EQ(corrected->components_dropped, 0);
  EXPECT_EQ(corrected->components_damped, 1);
  EXPECT_EQ(corrected->components_improper, 1);
  const Gaussian& damped = corrected->mixture.component(1);
  EXPECT_NEAR(damped.precision()(0, 0), 4 - 1, 1e-10);
  EXPECT_NEAR(damped.precision()(1, 1), 0.25 * 0.05, 1e-10);
  EXPECT_NEAR(damped.precision()(0, 1), 0, 1e-10);
  // The other component is as it would be alone.
  EXPECT_TRUE(
      corrected->mixture.component(0).precision().isApprox(3 * Eigen::Matrix2d::Identity()));
}

// The second component has no examples to speak of, and lies where the proposal has no mass:
// divided by it, it would be everything.
TEST(Correction, DropsWhatNeedsDampingAndHasNoExamples) {
  const GaussianMixture q(
      {Gaussian::from_covariance(Eigen::Vector2d(0, 0), covariance2(0.5, 0.5, 0)),
       Gaussian::from_covariance(Eigen::Vector2d(0, 30), covariance2(0.5, 2.0, 0))},
      Eigen::Vector2d(0, std::log(1e-4)));
  const auto corrected = correct_analytically(q, *kWideBox, Gaussian::standard(2), 1000);
  ASSERT_TRUE(corrected);
  EXPECT_EQ(corrected->components_dropped, 1);
  EXPECT_EQ(corrected->mixture.num_components(), 1);
}

// What is smaller than its sampling error is noise, whatever its sign.
TEST(Correction, DampsADifferenceThatIsOnlyNoise) {
  const Gaussian slightly_narrower =
      Gaussian::from_precision(Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Constant(1, 1, 1.01));
  const auto precision_with = [&](Index num_examples) {
    return correct_analytically(GaussianMixture(slightly_narrower), *kWideLine,
                                Gaussian::standard(1), num_examples)
        ->mixture.component(0)
        .precision()(0, 0);
  };
  EXPECT_NEAR(precision_with(kMany), 0.01, 1e-10);
  EXPECT_NEAR(precision_with(200), 0.1 * 1.01, 1e-10);
  // Small, but positive.
  EXPECT_EQ(correct_analytically(GaussianMixture(slightly_narrower), *kWideLine,
                                 Gaussian::standard(1), 200)
                ->components_improper,
            0);
}

// A likelihood cannot make the posterior wider than a Gaussian prior.
TEST(Correction, NeverFallsBelowAGaussianPrior) {
  const PriorPtr prior =
      gaussian_prior(Gaussian::from_covariance(Eigen::Vector2d(0, 0), covariance2(1.5, 1.5, 0)));
  const GaussianMixture q(
      Gaussian::from_covariance(Eigen::Vector2d(0, 0), covariance2(0.5, 3.0, 0)));
  const auto corrected = correct_analytically(q, *prior, Gaussian::standard(2), kMany);
  ASSERT_TRUE(corrected);
  EXPECT_EQ(corrected->components_damped, 1);
  EXPECT_NEAR(corrected->mixture.component(0).precision()(1, 1), 1 / 2.25, 1e-10);
}

// 20,000 weighted draws: with an effective share above one half the mean is known to about a
// hundredth of a deviation. Put in to see it fail: weights of one.
TEST(Correction, ImportanceWeightsGiveTheSameAnswerWhereBothExist) {
  const GaussianMixture q(
      Gaussian::from_covariance(Eigen::Vector2d(0.3, -0.2), covariance2(0.5, 0.4, 0.3)));
  const Gaussian p0 = proposal();
  const auto exact = correct_analytically(q, *kWideBox, p0, kMany);
  ASSERT_TRUE(exact);
  const Correction weighted = correct_by_importance(q, *kWideBox, p0);
  EXPECT_TRUE(weighted.importance);
  EXPECT_GT(weighted.effective_size, 10000);
  const Eigen::VectorXd deviation = exact->mixture.covariance().diagonal().cwiseSqrt();
  const double standard_error = 1 / std::sqrt(weighted.effective_size);
  for (Index d = 0; d < 2; ++d) {
    EXPECT_NEAR(weighted.mixture.mean()[d], exact->mixture.mean()[d],
                5 * standard_error * deviation[d]);
    // The variance of a Gaussian sample's variance is 2 / n; the weights' tail makes it larger.
    EXPECT_NEAR(weighted.mixture.covariance()(d, d) / (deviation[d] * deviation[d]), 1,
                10 * std::sqrt(2.0) * standard_error);
  }
}

TEST(Correction, ImportanceStaysOnTheSupport) {
  const PriorPtr box = uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1));
  const GaussianMixture q(
      Gaussian::from_covariance(Eigen::Vector2d(0.5, 0.5), covariance2(0.5, 2.0, 0)));
  const Correction weighted = correct_by_importance(q, *box, Gaussian::standard(2));
  EXPECT_TRUE(box->contains(weighted.mixture.mean()));
  EXPECT_EQ(weighted.components_dropped, 1);
}

}  // namespace
}  // namespace epsfree
