#include <gtest/gtest.h>

#include <atomic>

#include "support/abc_inference.hpp"
#include "support/error_of.hpp"
#include "support/map_journal.hpp"

namespace epsfree {
namespace {

InferOptions rejection(Index num_simulations, RejectionOptions settings) {
  InferOptions options;
  options.method = settings;
  options.num_simulations = num_simulations;
  return options;
}

TEST(RejectionAbc, SamplesTheAbcPosteriorOfPriorsOfAllKinds) {
  for (const Marginal& prior : {Marginal::exponential(2), Marginal::gamma(2, 3),
                                Marginal::log_uniform(0.01, 3), Marginal::uniform(0, 2)}) {
    const NoisyNumber number{.prior = prior};
    const InferResult result = infer_with(number.problem(), rejection(8000, {.epsilon = 0.3}));
    number.expect_right(result, 0.3);
    EXPECT_EQ(result.summary.epsilon, 0.3);
    EXPECT_EQ(result.summary.simulations.total(), 8000);
    EXPECT_EQ(result.summary.effective_sample_size, double(samples_of(result).size()));
  }
}

TEST(RejectionAbc, TakesTheNearest) {
  const NoisyNumber number;
  const InferResult by_number = infer_with(number.problem(), rejection(5000, {.num_samples = 250}));
  EXPECT_EQ(samples_of(by_number).size(), 250);
  const InferResult by_fraction = infer_with(number.problem(), rejection(5000, {.fraction = 0.05}));
  EXPECT_EQ(samples_of(by_fraction).points(), samples_of(by_number).points());
  // The same by the epsilon that they reach.
  const InferResult by_epsilon =
      infer_with(number.problem(), rejection(5000, {.epsilon = by_number.summary.epsilon}));
  EXPECT_EQ(samples_of(by_epsilon).points(), samples_of(by_number).points());
}

TEST(RejectionAbc, ChoosesHowManyItKeeps) {
  EXPECT_EQ(RejectionOptions{}.most_of(40), 4);
  EXPECT_EQ(RejectionOptions{}.most_of(2000), 100);
  EXPECT_EQ(RejectionOptions{}.most_of(1000000), 10000);
  EXPECT_EQ(RejectionOptions{.fraction = 0.001}.most_of(2000), 2);
  EXPECT_EQ((RejectionOptions{.num_samples = 7, .fraction = 0.5}.most_of(2000)), 7);
  EXPECT_EQ(RejectionOptions{.epsilon = 1}.most_of(2000), 0);  // all within it
}

// x = theta + noise: within a large epsilon theta follows x, and a regression takes that away.
TEST(RejectionAbc, SaysWhatEpsilonBlurs) {
  const NoisyNumber number{.prior = Marginal::normal(0, 1), .noise_std = 0.1, .observed = 1};
  const auto blur = [&](double epsilon, Adjustment adjust) {
    InferOptions options = rejection(20000, {.epsilon = epsilon});
    std::get<RejectionOptions>(options.method).abc.adjust = adjust;
    return infer_with(number.problem(), options).summary.blur;
  };
  // A standard deviation of 0.1 inside an interval of standard deviation 0.29.
  EXPECT_NEAR(blur(0.5, Adjustment::none), std::log(std::hypot(0.1, 0.5 / std::sqrt(3.0)) / 0.1),
              0.15);
  EXPECT_LT(blur(0.02, Adjustment::none), 0.2);
  EXPECT_TRUE(std::isnan(blur(0.5, Adjustment::linear)));
}

// Blocks, their order and threads change nothing, and what is kept does not depend on the number of
// simulations. More than one block, and a last one that is not full.
TEST(RejectionAbc, StreamingKeepsWhatRecordedSimulationsWouldGive) {
  const Problem problem = model("mixture")->problem();
  const Index total = 65536 + 3000;
  for (const RejectionOptions& settings :
       {RejectionOptions{.num_samples = 70}, RejectionOptions{.epsilon = 0.01},
        RejectionOptions{.epsilon = 0.01, .num_samples = 40}}) {
    RejectionOptions streaming = settings;
    streaming.streaming = true;
    const InferResult whole = infer_with(problem, rejection(total, settings), 1);
    const InferResult streamed = infer_with(problem, rejection(total, streaming), 3);
    EXPECT_EQ(samples_of(streamed).points(), samples_of(whole).points());
    EXPECT_EQ(streamed.summary.epsilon, whole.summary.epsilon);
  }
}

/// Says stop when so many simulations have been made.
class StopAfterBlocks final : public Observer {
 public:
  explicit StopAfterBlocks(long count) : count_(count) {}
  Action on_simulation(const SimulationProgress& progress) override {
    first = std::min(first, progress.done);
    return progress.done > count_ ? Action::stop : Action::proceed;
  }
  long first = std::numeric_limits<long>::max();

 private:
  long count_;
};

TEST(RejectionAbc, AStreamGoesOnWhereItWasSaved) {
  Problem problem = model("mixture")->problem();
  // A second statistic in other units, which the summary must complain of in both runs.
  problem.simulator =
      function_simulator(1, 2, [](const Eigen::VectorXd& theta, Stream& stream) -> Eigen::VectorXd {
        const double other = 1000 * stream.normal();
        return Eigen::Vector2d(theta[0] > 9 ? std::nan("") : theta[0] + stream.normal(), other);
      });
  problem.observed = Eigen::Vector2d::Zero();
  const InferOptions options = rejection(65536 + 3000, {.num_samples = 50, .streaming = true});
  ThreadRunner runner(2);
  const InferResult expected = infer(problem, options, runner);
  MapJournal journal;
  StopAfterBlocks stop(65536);
  EXPECT_EQ(
      error_of(ErrorKind::interrupted, [&] { infer(problem, options, runner, &stop, &journal); })
          .empty(),
      false);
  StopAfterBlocks never(1000000);
  const InferResult resumed = infer(problem, options, runner, &never, &journal);
  EXPECT_GE(never.first, 65536);
  EXPECT_EQ(samples_of(resumed).points(), samples_of(expected).points());
  EXPECT_EQ(resumed.summary.simulations.total(), 65536 + 3000);
  EXPECT_TRUE(warns_of(resumed, "hardly counts"));
  EXPECT_EQ(resumed.summary.warnings, expected.summary.warnings);
  // Where simulations were invalid, before and after.
  EXPECT_GT(expected.summary.dropped_low[0], 9);
  EXPECT_EQ(resumed.summary.dropped_low, expected.summary.dropped_low);
  EXPECT_EQ(resumed.summary.dropped_high, expected.summary.dropped_high);
}

TEST(RejectionAbc, ComesNearerToTheExactPosteriorAsEpsilonFalls) {
  const Problem problem = model("linear-regression")->problem();
  const Gaussian exact = exact_linear_regression();
  InferOptions options = rejection(100000, {.num_samples = 3000});
  std::get<RejectionOptions>(options.method).streaming = true;
  const double wide = kl_of_fit(exact, *infer_with(problem, options).posterior);
  std::get<RejectionOptions>(options.method).num_samples = 300;
  const double narrow = kl_of_fit(exact, *infer_with(problem, options).posterior);
  // A tenth of the volume: epsilon falls by 10^(1/6) and the divergence by about log 10.
  EXPECT_LT(narrow, wide - 1.5);
  RecordProperty("kl_wide", std::to_string(wide));
  RecordProperty("kl_narrow", std::to_string(narrow));
  std::get<RejectionOptions>(options.method).abc.adjust = Adjustment::linear;
  EXPECT_LT(kl_of_fit(exact, *infer_with(problem, options).posterior), 0.5 * narrow);
}

TEST(RejectionAbc, DistancesOfTheUsersOwnAndScaledOnes) {
  const NoisyNumber number;
  InferOptions options = rejection(4000, {.epsilon = 0.3});
  const InferResult plain = infer_with(number.problem(), options);
  std::get<RejectionOptions>(options.method).abc.custom_distance =
      [](const auto& x, const auto& observed) { return 10 * std::abs(x[0] - observed[0]); };
  std::get<RejectionOptions>(options.method).epsilon = 3;
  EXPECT_EQ(samples_of(infer_with(number.problem(), options)).points(), samples_of(plain).points());
  options.method = RejectionOptions{.num_samples = 300,
                                    .abc = {.distance = DistanceKind::median_absolute_deviation}};
  const InferResult scaled = infer_with(number.problem(), options);
  EXPECT_EQ(scaled.summary.num_pilot_simulations, 200);
  EXPECT_EQ(scaled.summary.simulations.total(), 4000);
}

TEST(RejectionAbc, SaysWhatToChangeWhereNothingIsAccepted) {
  const NoisyNumber number{.observed = 1e6};
  for (const bool streaming : {false, true}) {
    const std::string message = error_of(ErrorKind::stopped, [&] {
      infer_with(number.problem(), rejection(500, {.epsilon = 0.1, .streaming = streaming}));
    });
    EXPECT_NE(message.find("none of 500"), std::string::npos) << message;
    EXPECT_NE(message.find("Raise epsilon"), std::string::npos) << message;
  }
  EXPECT_TRUE(warns_of(infer_with(number.problem(), rejection(500, {.num_samples = 5})),
                       "effective sample of only 5"));
}

TEST(RejectionAbc, WarnsWhereItAcceptsNearlyEverything) {
  const NoisyNumber number;
  for (const RejectionOptions& settings :
       {RejectionOptions{.num_samples = 5000}, RejectionOptions{.epsilon = 100}}) {
    EXPECT_TRUE(warns_of(infer_with(number.problem(), rejection(2000, settings)), "the prior"));
  }
  EXPECT_TRUE(warns_of(infer_with(number.mostly_invalid(0.97), rejection(2000, {})), "the prior"));
  EXPECT_FALSE(warns_of(infer_with(number.problem(), rejection(2000, {})), "the prior"));
}

TEST(RejectionAbc, WithoutUsableSimulationsStops) {
  Problem problem = NoisyNumber().problem();
  problem.simulator = function_simulator(1, 1, [](const Eigen::VectorXd&, Stream&) {
    return Eigen::VectorXd::Constant(1, std::nan(""));
  });
  for (const char* method : {"rejection-abc", "mcmc-abc", "smc-abc"}) {
    const InferOptions options{.method = method_by_name(method)};
    error_of(ErrorKind::stopped, [&] { infer_with(problem, options); });
  }
}

}  // namespace
}  // namespace epsfree
