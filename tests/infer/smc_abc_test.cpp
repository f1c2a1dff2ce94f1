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
  options.method = settings;
  options.num_simulations = num_simulations;
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

  // A statistic of few values, none of them the observation's: epsilon ends at the nearest.
  Problem coarse = number.problem();
  coarse.simulator = function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream& stream) {
    return Eigen::VectorXd::Constant(1, std::round(theta[0] + stream.normal()));
  });
  const InferResult stuck = infer_with(coarse, smc(20000, {.population = 200}));
  EXPECT_TRUE(warns_of(stuck, "cannot fall below"));
  EXPECT_DOUBLE_EQ(stuck.summary.epsilon, 0.3);
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
  EXPECT_EQ(SmcOptions{}.population_of(1000), 150);
  EXPECT_EQ(SmcOptions{}.population_of(30000), 300);
  EXPECT_EQ(SmcOptions{}.population_of(1000000), 1000);
  EXPECT_EQ(SmcOptions{.population = 77}.population_of(1000), 77);
  EXPECT_THROW(InferOptions{.method = SmcOptions{.population = 9}}.validate(), Error);
  const NoisyNumber number;
  const InferResult chosen = infer_with(number.problem(), smc(1000, {}));
  EXPECT_GT(chosen.summary.effective_sample_size, 80);
  EXPECT_GT(chosen.summary.rounds.size(), 1u);
  EXPECT_FALSE(warns_of(chosen, "nearly the prior"));
  const InferResult spent = infer_with(number.problem(), smc(1000, {.population = 500}));
  EXPECT_TRUE(warns_of(spent, "nearly the prior"));
}

// The budget ends in the midst of a population: what it has accepted is not thrown away.
TEST(SmcAbc, EndsWithAPopulationThatTheBudgetCutShort) {
  const NoisyNumber number;
  SmcOptions settings{.population = 1000, .schedule = EpsilonSchedule::decay, .decay = 0.3};
  const InferResult whole = infer_with(number.problem(), smc(100000, settings));
  ASSERT_GT(whole.summary.rounds.size(), 3u);
  Index budget = 0;
  for (int i = 0; i < 2; ++i) {
    budget +=
        static_cast<Index>(whole.summary.rounds[static_cast<std::size_t>(i)].simulations.total());
  }
  // Enough for seven tenths of the third.
  budget += static_cast<Index>(0.7 * 1000 / whole.summary.rounds[2].acceptance_rate);
  const InferResult cut = infer_with(number.problem(), smc(budget, settings));
  EXPECT_EQ(cut.summary.simulations.total(), budget);
  ASSERT_EQ(cut.summary.rounds.size(), 3u);
  EXPECT_TRUE(warns_of(cut, "the budget ended with"));
  const WeightedSamples& samples = samples_of(cut);
  EXPECT_NEAR(static_cast<double>(samples.size()), 700, 100);
  EXPECT_EQ(cut.summary.epsilon, whole.summary.rounds[2].epsilon);
  number.expect_right(cut, cut.summary.epsilon);
  // A third of one is too little: the answer is the population before.
  const InferResult short_of = infer_with(
      number.problem(),
      smc(budget - static_cast<Index>(0.4 * 1000 / whole.summary.rounds[2].acceptance_rate),
          settings));
  EXPECT_TRUE(warns_of(short_of, "population 3 is not part of the answer"));
  EXPECT_EQ(short_of.summary.rounds.size(), 2u);
  EXPECT_EQ(samples_of(short_of).size(), 1000);
}

TEST(SmcAbc, BeginsWhereMostSimulationsAreInvalid) {
  const NoisyNumber number;
  const InferResult result =
      infer_with(number.mostly_invalid(0.9), smc(100000, {.population = 500, .epsilon = 0.3}));
  number.expect_right(result, 0.3);
  // As near as if all were valid: the better half of the usable ones.
  EXPECT_NEAR(result.summary.rounds[0].acceptance_rate, 0.05, 0.01);
  EXPECT_NE(
      error_of(ErrorKind::stopped,
               [&] { infer_with(number.mostly_invalid(0.99), smc(1000, {.population = 100})); })
          .find("were usable"),
      std::string::npos);
}

// Whole numbers: most of what is accepted lies at epsilon itself, which is their median.
TEST(SmcAbc, FallsThroughDistancesOfFewValues) {
  Problem coarse = NoisyNumber().problem();
  coarse.simulator = function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream& stream) {
    return Eigen::VectorXd::Constant(1, std::round(theta[0] + 3 * stream.normal()));
  });
  coarse.observed.setConstant(2);
  const InferResult result = infer_with(coarse, smc(20000, {.population = 200}));
  EXPECT_EQ(result.summary.epsilon, 0);
  EXPECT_TRUE(result.summary.warnings.empty()) << result.summary.warnings[0];
}

TEST(SmcAbc, CountsWhatTheDistancesPilotSpends) {
  const NoisyNumber number;
  InferOptions options = smc(300, {});
  std::get<SmcOptions>(options.method).abc.distance = DistanceKind::median_absolute_deviation;
  EXPECT_EQ(samples_of(infer_with(number.problem(), options)).size(), 25);  // a quarter of 100
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
  const InferResult again = infer(number.problem(), options, runner, nullptr, &journal);
  EXPECT_EQ(samples_of(again).points(), samples_of(first).points());
  EXPECT_TRUE(warns_of(first, "max_seconds"));
  EXPECT_EQ(again.summary.warnings, first.summary.warnings);
}

}  // namespace
}  // namespace epsfree
