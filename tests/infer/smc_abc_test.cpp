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
  const InferResult rejection = reject_within(0.7, linear.problem(), 40000);
  for (const EpsilonSchedule schedule : {EpsilonSchedule::quantile, EpsilonSchedule::decay}) {
    SmcOptions settings{.population = 1000, .epsilon = 0.7, .schedule = schedule, .decay = 0.7};
    const InferResult result = infer_with(linear.problem(), smc(60000, settings));
    ASSERT_EQ(result.summary.epsilon, 0.7);
    expect_agreement(result, rejection);
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

/// A user's prior whose density is wrong: nowhere above zero.
class NoDensity final : public Prior {
 public:
  explicit NoDensity(PriorPtr base) : base_(std::move(base)) {}
  using Vector = Eigen::Ref<const Eigen::VectorXd>;
  Index dim() const override { return base_->dim(); }
  std::string kind() const override { return base_->kind(); }
  Eigen::VectorXd sample(Stream& stream) const override { return base_->sample(stream); }
  double log_prob(const Vector&) const override { return -INFINITY; }
  bool contains(const Vector& theta) const override { return base_->contains(theta); }
  Eigen::VectorXd mean() const override { return base_->mean(); }
  Eigen::MatrixXd covariance() const override { return base_->covariance(); }
  Eigen::VectorXd to_coordinates(const Vector& theta) const override {
    return base_->to_coordinates(theta);
  }
  Eigen::VectorXd from_coordinates(const Vector& z) const override {
    return base_->from_coordinates(z);
  }
  double log_jacobian(const Vector& z) const override { return base_->log_jacobian(z); }
  bool coordinates_are_identity() const override { return base_->coordinates_are_identity(); }
  Support coordinate_support() const override { return base_->coordinate_support(); }
  LogQuadratic coordinate_log_density() const override { return base_->coordinate_log_density(); }
  Eigen::VectorXd coordinate_mean() const override { return base_->coordinate_mean(); }
  Eigen::VectorXd coordinate_std() const override { return base_->coordinate_std(); }

 private:
  PriorPtr base_;
};

TEST(SmcAbc, KeepsThePopulationBeforeWhereAllWeightsAreZero) {
  const NoisyNumber number;
  Problem problem = number.problem();
  problem.prior = std::make_shared<NoDensity>(problem.prior);
  const InferResult result = infer_with(problem, smc(5000, {.population = 200, .epsilon = 0.1}));
  EXPECT_TRUE(warns_of(result, "all weights of population 2 are zero"));
  EXPECT_TRUE(warns_of(result, "log_prob"));
  ASSERT_EQ(result.summary.rounds.size(), 1u);
  number.expect_right(result, result.summary.epsilon);
}

TEST(SmcAbc, ChoosesAPopulationThatTheBudgetSuits) {
  EXPECT_EQ(SmcOptions{}.population_of(40), 10);
  EXPECT_EQ(SmcOptions{}.population_of(1000), 100);
  EXPECT_EQ(SmcOptions{}.population_of(3000), 300);
  EXPECT_EQ(SmcOptions{}.population_of(1000000), 500);
  EXPECT_EQ(SmcOptions{.population = 77}.population_of(1000), 77);
  EXPECT_THROW(SmcOptions{.population = 9}.validate(), Error);
  const NoisyNumber number;
  const InferResult chosen = infer_with(number.problem(), smc(1000, {}));
  EXPECT_EQ(samples_of(chosen).points().cols(), 100);
  EXPECT_GT(chosen.summary.rounds.size(), 1u);
  EXPECT_FALSE(warns_of(chosen, "nearly the prior"));
  const InferResult spent = infer_with(number.problem(), smc(1000, {.population = 500}));
  EXPECT_TRUE(warns_of(spent, "nearly the prior"));
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
