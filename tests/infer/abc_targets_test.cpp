// The ABC methods against ABC posteriors that are known, and against each other.
#include <gtest/gtest.h>

#include <boost/math/distributions/non_central_chi_squared.hpp>

#include "support/abc_inference.hpp"

namespace epsfree {
namespace {

/// Two parameters with different priors, seen with noise. The probability of coming within epsilon
/// is that of a non-central chi-squared variable, and two dimensions can be integrated on a grid.
struct NoisyPoint {
  double noise_std = 0.5;
  double epsilon = 0.6;
  Eigen::Vector2d observed = Eigen::Vector2d(0.3, 0.6);
  std::vector<Marginal> priors = {Marginal::exponential(2), Marginal::normal(0, 1)};

  Problem problem() const {
    return {.prior = independent_prior(priors),
            .simulator = function_simulator(
                2, 2,
                [s = noise_std](const Eigen::VectorXd& theta, Stream& stream) -> Eigen::VectorXd {
                  return theta + s * Eigen::Vector2d(stream.normal(), stream.normal());
                }),
            .observed = observed};
  }

  double within_epsilon(const Eigen::Vector2d& theta) const {
    const double variance = noise_std * noise_std;
    const double away = std::max((theta - observed).squaredNorm() / variance, 1e-12);
    const boost::math::non_central_chi_squared squared(2, away);
    return cdf(squared, epsilon * epsilon / variance);
  }

  Gaussian moments() const {
    constexpr int kPoints = 120;
    double sum = 0;
    Eigen::Vector2d first = Eigen::Vector2d::Zero();
    Eigen::Matrix2d second = Eigen::Matrix2d::Zero();
    for (int i = 0; i < kPoints; ++i) {
      for (int j = 0; j < kPoints; ++j) {
        const Eigen::Vector2d theta(priors[0].quantile((i + 0.5) / kPoints),
                                    priors[1].quantile((j + 0.5) / kPoints));
        const double weight = within_epsilon(theta);
        sum += weight;
        first += weight * theta;
        second += weight * theta * theta.transpose();
      }
    }
    first /= sum;
    return Gaussian::from_covariance(first, second / sum - first * first.transpose());
  }
};

/// With rejection, chains or populations.
InferOptions with_epsilon(const std::string& method, double epsilon, Index num_simulations,
                          Index population = 1500) {
  InferOptions options{.num_simulations = num_simulations};
  if (method == "rejection-abc") options.method = RejectionOptions{.epsilon = epsilon};
  if (method == "mcmc-abc") options.method = McmcOptions{.epsilon = epsilon, .num_chains = 40};
  if (method == "smc-abc") {
    options.method = SmcOptions{.population = population, .epsilon = epsilon};
  }
  return options;
}

/// Within five standard errors of samples of these effective sizes.
void expect_same(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance,
                 const InferResult& result, double error, const std::string& what) {
  for (Index d = 0; d < mean.size(); ++d) {
    const double deviation = std::sqrt(covariance(d, d));
    EXPECT_NEAR(result.posterior->mean()[d], mean[d], 5 * error * deviation) << what << " " << d;
    EXPECT_NEAR(std::sqrt(result.posterior->covariance()(d, d)) / deviation, 1, 5 * error)
        << what << " " << d;
  }
}

TEST(AbcTargets, AllMethodsSampleTheAbcPosteriorInTwoDimensions) {
  const NoisyPoint point;
  const Gaussian exact = point.moments();
  for (const std::string method : {"rejection-abc", "mcmc-abc", "smc-abc"}) {
    const InferResult result =
        infer_with(point.problem(), with_epsilon(method, point.epsilon, 20000));
    ASSERT_EQ(result.summary.epsilon, point.epsilon);
    const double size = result.summary.effective_sample_size;
    EXPECT_GT(size, 200);
    expect_same(exact.mean(), exact.covariance(), result, 1 / std::sqrt(size), method);
  }
}

TEST(AbcTargets, AllMethodsAgreeOnLinearRegression) {
  const Problem problem = model("linear-regression")->problem();
  constexpr double kEpsilon = 3;
  InferOptions options = with_epsilon("rejection-abc", kEpsilon, 200000);
  std::get<RejectionOptions>(options.method).streaming = true;
  const InferResult rejection = infer_with(problem, options);
  const double size = rejection.summary.effective_sample_size;
  EXPECT_GT(size, 200);
  for (const std::string method : {"mcmc-abc", "smc-abc"}) {
    options = with_epsilon(method, kEpsilon, 60000, 500);
    const InferResult result = infer_with(problem, options);
    ASSERT_EQ(result.summary.epsilon, kEpsilon);
    const double error = std::sqrt(1 / size + 1 / result.summary.effective_sample_size);
    expect_same(rejection.posterior->mean(), rejection.posterior->covariance(), result, error,
                method);
    RecordProperty(method + "_size", std::to_string(result.summary.effective_sample_size));
  }
}

}  // namespace
}  // namespace epsfree
