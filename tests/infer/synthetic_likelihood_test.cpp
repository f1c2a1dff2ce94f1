// Synthetic likelihoods on problems whose posterior is known.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <string>

#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "epsfree/infer.hpp"
#include "support/abc_inference.hpp"
#include "support/contains.hpp"
#include "support/linear_gaussian.hpp"
#include "support/stop_in.hpp"

namespace epsfree {
namespace {

InferOptions options_for(SyntheticLikelihood likelihood, Index budget) {
  InferOptions options;
  options.method = SyntheticOptions{.likelihood = likelihood};
  options.num_simulations = budget;
  return options;
}

/// Means and variances are those of the posterior within five standard errors of as many samples as
/// the chains are worth, and what else the likelihood's own error allows.
void expect_posterior(const Gaussian& exact, const InferResult& result, double slack = 0) {
  const double size = result.summary.effective_sample_size;
  ASSERT_GT(size, 100);
  const WeightedSamples& samples = samples_of(result);
  const Eigen::MatrixXd S = exact.covariance(), estimate = samples.covariance();
  for (Index d = 0; d < exact.dim(); ++d) {
    EXPECT_NEAR((samples.mean()[d] - exact.mean()[d]) / std::sqrt(S(d, d)), 0,
                5 / std::sqrt(size) + slack)
        << d;
    EXPECT_NEAR(estimate(d, d) / S(d, d), 1, 5 * std::sqrt(2 / size) + 2 * slack) << d;
  }
}

// The unbiased estimate makes the target exact: there is no error but that of the chains.
TEST(GaussianSyntheticLikelihood, RecoversALinearGaussianPosterior) {
  for (const Index dim : {1, 3}) {
    const LinearGaussian model = LinearGaussian::make(dim, dim + 1, 0.5);
    InferOptions options = options_for(SyntheticLikelihood::gaussian, 120000);
    std::get<SyntheticOptions>(options.method).num_replicates = 20;
    const InferResult result = infer(model.problem(), options);
    expect_posterior(model.posterior(), result);
    EXPECT_LE(result.summary.simulations.total(), options.num_simulations);
    EXPECT_GT(result.summary.simulations.total(), options.num_simulations - 80);
  }
}

// One mixture component is the true model here; 4000 simulations leave regression coefficients with
// errors of 1/sqrt(3000) in units of the noise, and the observation is one draw of that noise.
TEST(MixtureSyntheticLikelihood, RecoversALinearGaussianPosterior) {
  for (const Index dim : {1, 3}) {
    const LinearGaussian model = LinearGaussian::make(dim, dim + 1, 0.5);
    const InferOptions options = options_for(SyntheticLikelihood::mixture, 4000);
    const InferResult result = infer(model.problem(), options);
    expect_posterior(model.posterior(), result, 0.1);
    EXPECT_EQ(result.summary.simulations.total(), options.num_simulations);
  }
}

TEST(EmulatedSyntheticLikelihood, RecoversALinearGaussianPosterior) {
  for (const Index dim : {1, 2}) {
    const LinearGaussian model = LinearGaussian::make(dim, dim + 1, 0.5);
    InferOptions options = options_for(SyntheticLikelihood::gaussian_process, 3000);
    std::get<SyntheticOptions>(options.method).num_pilot = 100;
    std::get<SyntheticOptions>(options.method).num_steps = 2000;
    const InferResult result = infer(model.problem(), options);
    expect_posterior(model.posterior(), result, 0.15);
    EXPECT_LE(result.summary.simulations.total(), options.num_simulations);
  }
}

/// theta ~ Exponential(1), x ~ N(log theta, 0.5), seen at 0.3: the posterior by numerical
/// integration.
struct LogOfExponential {
  static Problem problem() {
    return {.prior = independent_prior({Marginal::exponential(1)}),
            .simulator = function_simulator(1, 1,
                                            [](const Eigen::VectorXd& theta, Stream& stream) {
                                              return Eigen::VectorXd::Constant(
                                                  1, std::log(theta[0]) + 0.5 * stream.normal());
                                            }),
            .observed = Eigen::VectorXd::Constant(1, 0.3)};
  }
  /// Mean and variance, with p(valid | theta) = exp(-rate theta).
  static Eigen::Vector2d moments(double rate) {
    double mass = 0, first = 0, second = 0;
    for (int i = 0; i < 100000; ++i) {
      const double theta = 1e-4 * (i + 0.5);
      const double error = (0.3 - std::log(theta)) / 0.5;
      const double p = std::exp(-(1 + rate) * theta - 0.5 * error * error);
      mass += p;
      first += p * theta;
      second += p * theta * theta;
    }
    const double mean = first / mass;
    return {mean, second / mass - mean * mean};
  }
};

void expect_moments(const Eigen::Vector2d& exact, const InferResult& result, double slack) {
  const double size = result.summary.effective_sample_size;
  ASSERT_GT(size, 100);
  const WeightedSamples& samples = samples_of(result);
  EXPECT_NEAR((samples.mean()[0] - exact[0]) / std::sqrt(exact[1]), 0, 5 / std::sqrt(size) + slack);
  // The fourth moment of this skewed density is about three times a Gaussian's.
  EXPECT_NEAR(samples.covariance()(0, 0) / exact[1], 1, 5 * std::sqrt(6 / size) + 3 * slack);
}

InferOptions quick(SyntheticLikelihood likelihood) {
  InferOptions options =
      options_for(likelihood, likelihood == SyntheticLikelihood::gaussian ? 60000 : 4000);
  std::get<SyntheticOptions>(options.method).num_replicates =
      likelihood == SyntheticLikelihood::gaussian ? 15 : 10;
  std::get<SyntheticOptions>(options.method).num_pilot = 100;
  std::get<SyntheticOptions>(options.method).num_steps = 2000;
  return options;
}

constexpr std::array kAll = {SyntheticLikelihood::gaussian, SyntheticLikelihood::mixture,
                             SyntheticLikelihood::gaussian_process};

// Without the prior the mean is 1.0 standard deviations larger, and with one that takes log theta
// for theta 0.39 smaller.
TEST(SyntheticLikelihood, HoldsForPriorsThatAreNotUniform) {
  for (const SyntheticLikelihood likelihood : kAll) {
    SCOPED_TRACE(to_string(likelihood));
    const InferResult result = infer(LogOfExponential::problem(), quick(likelihood));
    expect_moments(LogOfExponential::moments(0), result,
                   likelihood == SyntheticLikelihood::gaussian ? 0 : 0.1);
  }
}

// Valid with probability exp(-theta / 2): without that factor the mean is 0.3 standard deviations
// larger.
TEST(SyntheticLikelihood, MultipliesByTheProbabilityOfAValidSimulation) {
  Problem problem = LogOfExponential::problem();
  problem.simulator = function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream& stream) {
    const double x = std::log(theta[0]) + 0.5 * stream.normal();
    const bool valid = stream.uniform() < std::exp(-0.5 * theta[0]);
    return Eigen::VectorXd::Constant(1, valid ? x : std::nan(""));
  });
  for (const SyntheticLikelihood likelihood : kAll) {
    SCOPED_TRACE(to_string(likelihood));
    InferOptions options = quick(likelihood);
    if (likelihood == SyntheticLikelihood::gaussian)
      std::get<SyntheticOptions>(options.method).num_replicates = 30;
    const InferResult result = infer(problem, options);
    expect_moments(LogOfExponential::moments(0.5), result,
                   likelihood == SyntheticLikelihood::gaussian ? 0.02 : 0.12);
    EXPECT_GT(result.summary.simulations[SimStatus::invalid], 0);
  }
}

TEST(SyntheticLikelihood, IsTheSameForAnyNumberOfThreads) {
  const LinearGaussian model = LinearGaussian::make(2, 3, 0.5);
  for (const SyntheticLikelihood likelihood : kAll) {
    InferOptions options = quick(likelihood);
    options.num_simulations = 3000;
    std::get<SyntheticOptions>(options.method).num_steps = 200;
    ThreadRunner one(1), three(3);
    const InferResult a = infer(model.problem(), options, one);
    const InferResult b = infer(model.problem(), options, three);
    EXPECT_EQ(samples_of(a).points(), samples_of(b).points()) << to_string(likelihood);
  }
}

// Every call of the simulator is counted, and there are never more than were granted.
TEST(SyntheticLikelihood, NeverExceedsItsBudget) {
  const LinearGaussian model = LinearGaussian::make(1, 1, 0.5);
  for (const SyntheticLikelihood likelihood : kAll) {
    std::atomic<long> calls = 0;
    Problem problem = model.problem();
    problem.simulator = function_simulator(1, 1, [&](const Eigen::VectorXd& theta, Stream& stream) {
      ++calls;
      return Eigen::VectorXd::Constant(1, model.A(0, 0) * theta[0] + 0.5 * stream.normal());
    });
    InferOptions options = quick(likelihood);
    options.num_simulations = 1237;
    std::get<SyntheticOptions>(options.method).num_steps = 200;
    const InferResult result = infer(problem, options);
    EXPECT_EQ(calls, result.summary.simulations.total()) << to_string(likelihood);
    EXPECT_LE(calls, 1237) << to_string(likelihood);
    EXPECT_GT(result.summary.chains.acceptance_rate, 0);
    EXPECT_LE(samples_of(result).size(), std::get<SyntheticOptions>(options.method).num_samples);
  }
}

// 40 statistics and 6 replicates: the estimates scatter by hundreds, and no proposal is accepted.
TEST(SyntheticLikelihood, SaysWhatToChangeWhereChainsDoNotMove) {
  const LinearGaussian model = LinearGaussian::make(1, 40, 0.5);
  InferOptions options = options_for(SyntheticLikelihood::gaussian, 3000);
  std::get<SyntheticOptions>(options.method).num_replicates = 6;
  std::string message;
  try {
    for (const std::string& warning : infer(model.problem(), options).summary.warnings) {
      message += warning;
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::stopped);
    message = error.what();
  }
  EXPECT_CONTAINS(message, "num_replicates");
}

// A steep function with little noise: the search's simulations scatter far more widely than
// replicates, and no variance of theirs may be added to the replicates'.
TEST(SyntheticLikelihood, IsExactWhereNoiseIsSmall) {
  constexpr double kNoise = 0.01;
  const Problem problem{
      .prior = independent_prior({Marginal::uniform(-10, 10)}),
      .simulator = function_simulator(1, 1,
                                      [](const Eigen::VectorXd& theta, Stream& stream) {
                                        return Eigen::VectorXd::Constant(
                                            1, std::pow(theta[0], 3) + kNoise * stream.normal());
                                      }),
      .observed = Eigen::VectorXd::Constant(1, 8)};
  // x = 8 + 12 (theta - 2) nearby.
  const double exact = kNoise / 12;
  const InferResult result = infer(problem, quick(SyntheticLikelihood::gaussian));
  ASSERT_GT(result.summary.effective_sample_size, 100);
  EXPECT_NEAR(result.posterior->mean()[0], 2, exact);
  EXPECT_NEAR(result.posterior->standard_deviation()[0] / exact, 1, 0.3);
}

TEST(SyntheticLikelihood, SaysWhichStatisticsAreNeverReached) {
  Problem problem = LogOfExponential::problem();
  problem.simulator =
      function_simulator(1, 2, [](const Eigen::VectorXd& theta, Stream& stream) -> Eigen::VectorXd {
        return Eigen::Vector2d(std::log(theta[0]) + 0.5 * stream.normal(), 0);
      });
  problem.observed = Eigen::Vector2d(0.3, 3);
  for (const SyntheticLikelihood likelihood : kAll) {
    InferOptions options = quick(likelihood);
    options.num_simulations = 3000;
    std::string warnings;
    for (const std::string& warning : infer(problem, options).summary.warnings) warnings += warning;
    EXPECT_CONTAINS(warnings, "statistic 2 is 0 in every simulation");
  }
}

TEST(SyntheticLikelihood, RefusesABudgetThatIsTooSmall) {
  const LinearGaussian model = LinearGaussian::make(1, 1, 0.5);
  for (const SyntheticLikelihood likelihood :
       {SyntheticLikelihood::gaussian, SyntheticLikelihood::gaussian_process}) {
    EXPECT_THROW(infer(model.problem(), options_for(likelihood, 60)), Error);
  }
}

TEST(SyntheticLikelihood, StopsWhenItIsTold) {
  const LinearGaussian model = LinearGaussian::make(1, 1, 0.5);
  for (const Phase phase : {Phase::simulation, Phase::training, Phase::round_end}) {
    StopIn observer(phase);
    ThreadRunner runner(1);
    try {
      infer(model.problem(), quick(SyntheticLikelihood::mixture), runner, &observer);
      FAIL() << "not interrupted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::interrupted);
    }
  }
}

}  // namespace
}  // namespace epsfree
