#include <gtest/gtest.h>

#include "support/abc_inference.hpp"
#include "support/error_of.hpp"
#include "support/linear_gaussian.hpp"

namespace epsfree {
namespace {

InferOptions mcmc(Index num_simulations, McmcOptions settings) {
  InferOptions options;
  options.method = settings;
  options.num_simulations = num_simulations;
  return options;
}

// Mutations seen to fail: no Jacobian (gamma, log-uniform); the prior's density left out.
TEST(McmcAbc, SamplesTheAbcPosteriorOfPriorsOfAllKinds) {
  for (const Marginal& prior : {Marginal::exponential(2), Marginal::gamma(2, 3),
                                Marginal::log_uniform(0.01, 3), Marginal::uniform(0, 2)}) {
    const NoisyNumber number{.prior = prior};
    for (const StepShape shape : {StepShape::full, StepShape::spherical}) {
      const InferResult result = infer_with(
          number.problem(),
          mcmc(20000, {.epsilon = 0.3, .start_simulations = 500, .num_chains = 50, .shape = shape}),
          1);
      number.expect_right(result, 0.3);
      EXPECT_EQ(result.summary.epsilon, 0.3);
      EXPECT_LE(result.summary.simulations.total(), 20000);
    }
  }
}

TEST(McmcAbc, AgreesWithRejectionInSeveralDimensions) {
  const LinearGaussian linear = LinearGaussian::make(2, 3, 0.5);
  const InferResult rejection = reject_within(0.7, linear.problem(), 40000);
  const InferResult result =
      infer_with(linear.problem(),
                 mcmc(40000, {.epsilon = 0.7, .start_simulations = 2000, .num_chains = 40}), 1);
  expect_agreement(result, rejection);
  EXPECT_LT(result.summary.effective_sample_size, 20000);
  EXPECT_GT(result.summary.effective_sample_size, 150);
}

TEST(McmcAbc, IsTheSameForAnyNumberOfThreads) {
  const Problem problem = model("mg1-queue")->problem();
  const InferOptions options = mcmc(3000, {.num_chains = 20});
  const InferResult one = infer_with(problem, options, 1), three = infer_with(problem, options, 3);
  EXPECT_EQ(samples_of(one).points(), samples_of(three).points());
  EXPECT_EQ(samples_of(one).weights(), samples_of(three).weights());
}

TEST(McmcAbc, SaysWhatToChangeWhereNoChainCanStartOrMove) {
  const NoisyNumber number;
  EXPECT_NE(error_of(ErrorKind::stopped,
                     [&] { infer_with(number.problem(), mcmc(400, {.epsilon = 1e-9})); })
                .find("Raise epsilon"),
            std::string::npos);
  // Steps so wide that none of them ends near.
  EXPECT_NE(error_of(ErrorKind::stopped,
                     [&] {
                       infer_with(number.problem(), mcmc(400, {.epsilon = 0.3,
                                                               .num_chains = 4,
                                                               .shape = StepShape::spherical,
                                                               .scale = 1e9}));
                     })
                .find("no chain moved"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorKind::stopped,
                     [&] { infer_with(number.problem(), mcmc(400, {.start_simulations = 400})); })
                .find("start_simulations"),
            std::string::npos);
}

TEST(McmcAbc, ChoosesEpsilonAmongTheUsable) {
  const NoisyNumber number;
  const InferResult result = infer_with(
      number.mostly_invalid(0.99), mcmc(60000, {.start_fraction = 0.1, .start_simulations = 2000}));
  EXPECT_LT(result.summary.epsilon, 0.3);
  const NoisyNumber wide{.prior = Marginal::uniform(-50, 50)};
  EXPECT_NE(
      error_of(ErrorKind::stopped,
               [&] { infer_with(wide.problem(), mcmc(400, {.num_chains = 200, .burn_in = 0.9})); })
          .find("method.mcmc.burn_in"),
      std::string::npos);
  Problem far = number.problem();
  far.observed.setConstant(1e200);
  EXPECT_NE(
      error_of(ErrorKind::stopped, [&] { infer_with(far, mcmc(400, {})); }).find("infinitely far"),
      std::string::npos);
}

TEST(McmcAbc, WarnsOfChainsThatNeverMove) {
  const NoisyNumber number;
  const InferResult result = infer_with(
      number.problem(), mcmc(600, {.epsilon = 0.02, .start_simulations = 400, .num_chains = 20}));
  EXPECT_TRUE(warns_of(result, "chains never moved") ||
              warns_of(result, "effective sample of only"));
  EXPECT_TRUE(result.posterior->mean().allFinite());
}

}  // namespace
}  // namespace epsfree
