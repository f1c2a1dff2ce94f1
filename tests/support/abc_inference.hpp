// ABC posteriors that are known by numerical integration, and what the ABC tests share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "epsfree/divergence.hpp"
#include "epsfree/effective_size.hpp"
#include "epsfree/infer.hpp"
#include "epsfree/models.hpp"

namespace epsfree {

/// theta from a marginal, x = theta + noise: what lies within epsilon of x_o has a density that is
/// the prior's times a difference of normal distribution functions.
struct NoisyNumber {
  Marginal prior = Marginal::exponential(2);
  double noise_std = 0.5;
  double observed = 0.3;

  Problem problem() const {
    return {.prior = independent_prior({prior}),
            .simulator = function_simulator(
                1, 1,
                [s = noise_std](const Eigen::VectorXd& theta, Stream& stream) {
                  return Eigen::VectorXd::Constant(1, theta[0] + s * stream.normal());
                }),
            .observed = Eigen::VectorXd::Constant(1, observed)};
  }

  /// The same where most simulations are invalid, whatever theta: nothing else changes.
  Problem mostly_invalid(double share) const {
    Problem result = problem();
    result.simulator = function_simulator(
        1, 1, [s = noise_std, share](const Eigen::VectorXd& theta, Stream& stream) {
          const double x = theta[0] + s * stream.normal();
          return Eigen::VectorXd::Constant(1, stream.uniform() < share ? std::nan("") : x);
        });
    return result;
  }

  /// Mean and standard deviation of the ABC posterior, by the midpoint rule in the prior's
  /// distribution function.
  std::pair<double, double> moments(double epsilon) const {
    double sum = 0, first = 0, second = 0;
    constexpr int kPoints = 200000;
    for (int i = 0; i < kPoints; ++i) {
      const double theta = prior.quantile((i + 0.5) / kPoints);
      const auto cdf = [&](double x) {
        return 0.5 * std::erfc((theta - x) / (noise_std * std::sqrt(2.0)));
      };
      const double weight = cdf(observed + epsilon) - cdf(observed - epsilon);
      sum += weight;
      first += weight * theta;
      second += weight * theta * theta;
    }
    first /= sum;
    return {first, std::sqrt(second / sum - first * first)};
  }

  /// Mean and variance within five standard errors of an effective sample.
  void expect_right(const InferResult& result, double epsilon) const {
    const auto [mean, deviation] = moments(epsilon);
    const double size = result.summary.effective_sample_size;
    EXPECT_GT(size, 100);
    EXPECT_NEAR(result.posterior->mean()[0], mean, 5 * deviation / std::sqrt(size))
        << family_name(prior.family());
    // The fourth moment of a long tail: twice the error of a Gaussian's variance.
    EXPECT_NEAR(result.posterior->covariance()(0, 0) / (deviation * deviation), 1,
                10 * std::sqrt(2 / size))
        << family_name(prior.family());
  }
};

/// KL(exact || Gaussian fitted to the weighted sample), as the paper scores ABC.
inline double kl_of_fit(const Gaussian& exact, const Posterior& learnt) {
  return kl_divergence(exact, Gaussian::from_covariance(learnt.mean(), learnt.covariance()));
}

inline Gaussian exact_linear_regression() {
  const auto linear = model("linear-regression");
  const PosteriorPtr exact = linear->exact_posterior(linear->default_observed());
  return dynamic_cast<const MixturePosterior&>(*exact).coordinates().mixture().component(0);
}

inline InferResult infer_with(const Problem& problem, const InferOptions& options,
                              int num_threads = 2) {
  ThreadRunner runner(num_threads);
  return infer(problem, options, runner);
}

inline const WeightedSamples& samples_of(const InferResult& result) {
  return dynamic_cast<const SamplesPosterior&>(*result.posterior).samples();
}

/// What both accept within the same epsilon has the same moments, within five standard errors.
inline void expect_agreement(const InferResult& one, const InferResult& other) {
  const double error =
      std::sqrt(1 / one.summary.effective_sample_size + 1 / other.summary.effective_sample_size);
  const Eigen::VectorXd deviation = other.posterior->standard_deviation();
  const Eigen::VectorXd shift = one.posterior->mean() - other.posterior->mean();
  for (Index d = 0; d < deviation.size(); ++d) {
    EXPECT_LT(std::abs(shift[d]), 5 * error * deviation[d]);
    EXPECT_NEAR(one.posterior->standard_deviation()[d] / deviation[d], 1, 5 * error);
  }
}

/// Rejection from so many simulations.
inline InferResult reject_within(double epsilon, const Problem& problem, Index num_simulations) {
  return infer_with(problem, {.method = RejectionOptions{.epsilon = epsilon},
                              .num_simulations = num_simulations});
}

inline bool warns_of(const InferResult& result, const std::string& text) {
  return std::any_of(
      result.summary.warnings.begin(), result.summary.warnings.end(),
      [&](const std::string& warning) { return warning.find(text) != std::string::npos; });
}

}  // namespace epsfree
