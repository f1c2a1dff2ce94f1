#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/abc_inference.hpp"
#include "support/error_of.hpp"
#include "support/linear_gaussian.hpp"
#include "support/map_journal.hpp"

namespace epsfree {
namespace {

InferOptions smc(Index num_simulations, SmcOptions settings) {
  InferOptions options;
  options.method = Method::smc_abc;
  options.num_simulations = num_simulations;
  options.smc = settings;
  return options;
}

// The weights must undo both the kernel and the choice of coordinates. Mutations seen to fail:
// weights without the prior's density; without the Jacobian (gamma, log-uniform); without the
// kernel's density.
TEST(SmcAbc, WeightsAreRightForPriorsThatAreNotUniform) {
  for (const Marginal& prior : {Marginal::exponential(2), Marginal::gamma(2, 3),
                                Marginal::log_uniform(0.01, 3), Marginal::uniform(0, 2)}) {
    const NoisyNumber number{.prior = prior};
    for (const bool adaptive : {false, true}) {
      const InferResult result = infer_with(
          number.problem(),
          smc(60000, {.population = 1500, .epsilon = 0.3, .adaptive_weights = adaptive}));
      number.expect_right(result, 0.3);
      EXPECT_EQ(result.summary.epsilon, 0.3);
      EXPECT_GT(result.summary.rounds.size(), 1u);
      EXPECT_TRUE(result.summary.warnings.empty());
    }
  }
}

TEST(SmcAbc, AgreesWithRejectionInSeveralDimensions) {
  const LinearGaussian linear = LinearGaussian::make(2, 3, 0.5);
  InferOptions reject;
  reject.method = Method::rejection_abc;
  reject.num_simulations = 40000;
  reject.rejection.epsilon = 0.7;
  const InferResult rejection = infer_with(linear.problem(), reject);
  for (const EpsilonSchedule schedule : {EpsilonSchedule::quantile, EpsilonSchedule::decay}) {
    SmcOptions settings{.population = 1000, .epsilon = 0.7, .schedule = schedule, .decay = 0.7};
    const InferResult result = infer_with(linear.problem(), smc(60000, settings));
    ASSERT_EQ(result.summary.epsilon, 0.7);
    const double error = std::sqrt(1 / result.summary.effective_sample_size +
                                   1 / rejection.summary.effective_sample_size);
    const Eigen::VectorXd deviation = rejection.posterior->standard_deviation();
    const Eigen::VectorXd shift = result.posterior->mean() - rejection.posterior->mean();
    for (Index d = 0; d < 2; ++d) {
      EXPECT_LT(std::abs(shift[d]), 5 * error * deviation[d]);
      EXPECT_NEAR(result.posterior->standard_deviation()[d] / deviation[d], 1, 5 * error);
    }
  }
}

TEST(SmcAbc, ComesNearerToTheExactPosteriorAsEpsilonFalls) {
  const Problem problem = model("linear-regression")->problem();
  const Gaussian exact = exact_linear_regression();
  double before = std::numeric_limits<double>::infinity();
  for (const double epsilon : {2.0, 1.2, 0.8}) {
    const InferResult result =
        infer_with(problem, smc(200000, {.population = 400, .epsilon = epsilon}));
    ASSERT_EQ(result.summary.epsilon, epsilon);
    const double kl = kl_of_fit(exact, *result.posterior);
    RecordProperty("kl_" + std::to_string(epsilon), std::to_string(kl));
    EXPECT_LT(kl, before);
    before = kl;
  }
}

// A first block for twice the proposals that the population before needed wastes half.
TEST(SmcAbc, SimulatesLittleThatItDoesNotUse) {
  const InferResult result = infer_with(model("linear-regression")->problem(),
                                        smc(60000, {.population = 400, .epsilon = 3}));
  ASSERT_EQ(result.summary.epsilon, 3);
  double simulated = 0, used = 0;
  for (const RoundSummary& round : result.summary.rounds) {
    simulated += static_cast<double>(round.simulations.total());
    used += 400 / round.acceptance_rate;
  }
  EXPECT_LT(simulated, 1.1 * used);
}

TEST(SmcAbc, IsTheSameForAnyNumberOfThreads) {
  const Problem problem = model("mg1-queue")->problem();
  const InferOptions options = smc(6000, {.population = 300});
  const InferResult one = infer_with(problem, options, 1), three = infer_with(problem, options, 3);
  EXPECT_EQ(samples_of(one).points(), samples_of(three).points());
  EXPECT_EQ(samples_of(one).weights(), samples_of(three).weights());
}

// Parameters whose simulations take long are as good as others: those below the median wait.
TEST(SmcAbc, SlowSimulationsAreNotDisfavoured) {
  const NoisyNumber number;
  Problem slow = number.problem();
  slow.simulator = function_simulator(
      1, 1, [s = number.noise_std](const Eigen::VectorXd& theta, Stream& stream) {
        if (theta[0] < 0.3) std::this_thread::sleep_for(std::chrono::microseconds(200));
        return Eigen::VectorXd::Constant(1, theta[0] + s * stream.normal());
      });
  const InferOptions options = smc(2000, {.population = 100, .epsilon = 0.3});
  EXPECT_EQ(samples_of(infer_with(slow, options, 4)).points(),
            samples_of(infer_with(number.problem(), options, 1)).points());
}

TEST(SmcAbc, StaysInTheSupport) {
  // The posterior presses against the bounds.
  const NoisyNumber number{.prior = Marginal::uniform(0, 0.2), .observed = 0.4};
  const InferResult result =
      infer_with(number.problem(), smc(30000, {.population = 1000, .epsilon = 0.1}));
  number.expect_right(result, 0.1);
  EXPECT_GE(samples_of(result).points().minCoeff(), 0);
  EXPECT_LE(samples_of(result).points().maxCoeff(), 0.2);
}

TEST(SmcAbc, SaysWhyItDidNotReachEpsilon) {
  const NoisyNumber number;
  const InferResult spent =
      infer_with(number.problem(), smc(2000, {.population = 200, .epsilon = 1e-9}));
  EXPECT_TRUE(warns_of(spent, "raise method.num_simulations"));
  EXPECT_LE(spent.summary.simulations.total(), 2000);
  EXPECT_TRUE(spent.posterior->mean().allFinite());

  const InferResult rare = infer_with(
      number.problem(),
      smc(100000, {.population = 50, .epsilon = 1e-9, .decay = 0.5, .min_acceptance = 0.2}));
  EXPECT_TRUE(warns_of(rare, "method.smc.min_acceptance"));
  EXPECT_LT(rare.summary.simulations.total(), 20000);

  // A statistic of few values: epsilon ends at one of them.
  Problem coarse = number.problem();
  coarse.simulator = function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream& stream) {
    return Eigen::VectorXd::Constant(1, std::round(theta[0] + stream.normal()));
  });
  EXPECT_TRUE(warns_of(infer_with(coarse, smc(20000, {.population = 200})), "cannot fall below"));
}

TEST(SmcAbc, SaysWhatToChangeWhereTheFirstPopulationFails) {
  const NoisyNumber number;
  EXPECT_NE(error_of(ErrorKind::stopped,
                     [&] {
                       infer_with(number.problem(),
                                  smc(500, {.population = 100, .initial_epsilon = 1e-9}));
                     })
                .find("Raise initial_epsilon"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorKind::stopped,
                     [&] { infer_with(number.problem(), smc(500, {.population = 400})); })
                .find("lower method.smc.population"),
            std::string::npos);
}

TEST(SmcAbc, TimeIsDecidedOnce) {
  const NoisyNumber number;
  const InferOptions options =
      smc(100000, {.population = 100, .epsilon = 0.05, .max_seconds = 1e-9});
  ThreadRunner runner(1);
  MapJournal journal;
  const InferResult first = infer(number.problem(), options, runner, nullptr, &journal);
  EXPECT_EQ(first.summary.rounds.size(), 1u);
  for (auto& [name, value] : journal.values) {
    EXPECT_EQ(name.rfind("smc/time/", 0), 0u) << name;
  }
  EXPECT_EQ(samples_of(infer(number.problem(), options, runner, nullptr, &journal)).points(),
            samples_of(first).points());
}

}  // namespace
}  // namespace epsfree
