#include "bench/accuracy_benchmark.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/models.hpp"
#include "io/csv.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

AccuracySettings quick(const std::string& model_name) {
  AccuracySettings settings;
  settings.model = model_name;
  settings.method = "mdn-with-proposal";
  settings.seeds = {3, 6};
  settings.budget = 300;
  settings.assignments = {"method.training.num_steps=200", "method.rounds.training.num_steps=200",
                          "method.rounds.max_rounds=2", "method.network.hidden_units=[5]"};
  return settings;
}

TEST(AccuracyBenchmark, ASeedIsTheInferenceWithThatSeed) {
  const AccuracyPlan plan = plan_accuracy(quick("linear-regression"));
  EXPECT_EQ(plan.score, Score::kl_divergence);
  const AccuracyReport report = run_accuracy(plan, 2);
  ASSERT_EQ(report.records.size(), 4u);
  InferOptions options = plan.spec.options;
  options.seed = 4;
  ThreadRunner runner(1);
  const InferResult result = infer(plan.spec.problem, options, runner);
  const SeedRecord& record = report.records[1];
  EXPECT_EQ(record.seed, 4u);
  EXPECT_EQ(record.num_simulations, 300);
  EXPECT_GT(record.cpu_seconds, 0);
  // Another estimate of the same divergence, over samples of its own.
  Stream stream(99);
  const PosteriorPtr exact =
      model("linear-regression")->exact_posterior(plan.spec.problem.observed);
  const Estimate other = kl_divergence(*exact, *result.posterior, 50000, stream);
  EXPECT_NEAR(record.score, other.value, 5 * std::hypot(record.score_error, other.standard_error));
  // Threads change no score.
  const AccuracyReport again = run_accuracy(plan, 1);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(report.records[i].score, again.records[i].score);
}

TEST(AccuracyBenchmark, ReferenceSamplesGiveTheCrossEntropy) {
  const TemporaryDirectory folder;
  AccuracySettings settings = quick("mixture");
  const PosteriorPtr exact = model("mixture")->exact_posterior(Eigen::VectorXd::Zero(1));
  Stream stream(7);
  write_file_atomically(folder.file("mixture_posterior.csv"),
                        csv_header({"theta"}) + csv_lines(exact->sample(5000, stream)));
  settings.reference = folder.file("mixture_posterior.csv");
  const AccuracyPlan plan = plan_accuracy(settings);
  EXPECT_EQ(plan.score, Score::cross_entropy);
  const SeedRecord record = run_accuracy(plan, 1).records[0];
  // The cross-entropy is the KL divergence plus the entropy of the exact posterior.
  settings.reference.clear();
  const SeedRecord kl = run_accuracy(plan_accuracy(settings), 1).records[0];
  const Eigen::VectorXd log_densities = exact->log_probs(plan.samples);
  const double entropy = -log_densities.mean();
  EXPECT_NEAR(record.score, kl.score + entropy, 5 * record.score_error + 5 * kl.score_error);
  // A directory is searched for the model's file.
  settings.reference = folder.path();
  EXPECT_EQ(plan_accuracy(settings).samples, plan.samples);
}

TEST(AccuracyBenchmark, ObservationsAreDrawnAndTheirTruthsRanked) {
  AccuracySettings settings = quick("mixture");
  settings.mode = AccuracyMode::observations;
  settings.seeds = {1, 8};
  const AccuracyReport report = run_accuracy(plan_accuracy(settings), 2);
  ASSERT_TRUE(report.summary.ranks.has_value());
  EXPECT_EQ(report.summary.ranks->p_values.size(), 1);
  EXPECT_EQ(report.summary.num_scored, 8u) << "the exact posterior at each observation";
  for (const SeedRecord& record : report.records) {
    ASSERT_EQ(record.ranks.size(), 1) << record.error;
    EXPECT_GE(record.ranks[0], 0);
    EXPECT_LE(record.ranks[0], kRankSamples);
  }
  settings.model = "mg1-queue";
  EXPECT_EQ(plan_accuracy(settings).score, Score::none) << "no reference is needed";
}

TEST(AccuracyBenchmark, TheSummaryKeepsErrorsApart) {
  // On the heap: GCC 12 takes parts of it on the stack for uninitialised when it is destroyed.
  const auto plan = std::make_unique<AccuracyPlan>();
  plan->failed_above = 2;
  std::vector<SeedRecord> records(5);
  const double scores[] = {1, 4, 3, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    records[i].score = scores[i];
    records[i].failed = scores[i] > 2;
    records[i].num_simulations = static_cast<long>(10 * i);
    records[i].correction = i == 0 ? "importance" : "analytic";
    records[i].cpu_seconds = 0.5 * static_cast<double>(i);
  }
  records[4].score = std::nan("");
  records[4].failed = true;
  records[4].error = "too few simulations";
  const AccuracySummary summary = summarise(*plan, records);
  EXPECT_EQ(summary.num_seeds, 5u);
  EXPECT_EQ(summary.num_scored, 4u);
  EXPECT_EQ(summary.num_failed, 3u);
  EXPECT_EQ(summary.num_errors, 1u);
  EXPECT_EQ(summary.first_error, "too few simulations");
  EXPECT_DOUBLE_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(summary.median, 2.5);
  EXPECT_DOUBLE_EQ(summary.standard_error, std::sqrt(5.0 / 3 / 4));
  EXPECT_EQ(summary.best, 1);
  EXPECT_EQ(summary.worst, 4);
  EXPECT_DOUBLE_EQ(summary.mean_simulations, 15);
  EXPECT_EQ(summary.max_simulations, 30);
  EXPECT_DOUBLE_EQ(summary.max_cpu_seconds, 1.5);
  EXPECT_EQ(summary.corrections.at("analytic"), 3);
  EXPECT_EQ(summarise(*plan, {}).num_seeds, 0u);
}

TEST(AccuracyBenchmark, AnInferenceThatThrowsIsARecord) {
  AccuracyPlan plan = plan_accuracy(quick("mixture"));
  plan.spec.problem.simulator =
      function_simulator(1, 1, [](const Eigen::VectorXd&, Stream&) -> Eigen::VectorXd { throw 1; });
  const AccuracyReport report = run_accuracy(plan, 2);
  EXPECT_EQ(report.summary.num_errors, 4u);
  EXPECT_EQ(report.summary.num_failed, 4u);
  EXPECT_NE(report.summary.first_error.find("usable"), std::string::npos);
  EXPECT_TRUE(std::isnan(report.summary.mean));
  const auto json = nlohmann::json::parse(accuracy_json({report}));
  EXPECT_TRUE(json.at("benchmarks").at(0).at("summary").at("mean").is_null());
}

TEST(AccuracyBenchmark, StopsWhenTheListenerSaysSo) {
  class Stopper final : public AccuracyListener {
   public:
    void on_seed(std::size_t, const SeedRecord&) override { ++seen; }
    bool stop() override { return seen > 0; }
    std::atomic<int> seen = 0;
  } stopper;
  AccuracySettings settings = quick("mixture");
  settings.seeds = {1, 100000};
  error_of(ErrorKind::interrupted, [&] { run_accuracy(plan_accuracy(settings), 2, &stopper); });
  EXPECT_LE(stopper.seen, 2);
}

TEST(AccuracyBenchmark, SaysWhatIsWrong) {
  const auto message = [](ErrorKind kind, const AccuracySettings& settings) {
    return error_of(kind, [&] { plan_accuracy(settings); });
  };
  EXPECT_NE(message(ErrorKind::usage, quick("mg1-queue")).find("theta1,theta2,theta3"),
            std::string::npos);
  AccuracySettings settings = quick("mixture");
  settings.assignments = {"simulator.model=mg1-queue"};
  EXPECT_NE(message(ErrorKind::usage, settings).find("[method]"), std::string::npos);
  settings = quick("mixture");
  settings.method = "mdn";
  EXPECT_NE(message(ErrorKind::usage, settings).find("mdn-with-prior"), std::string::npos);
  settings = quick("mixture");
  settings.mode = AccuracyMode::observations;
  settings.reference = "x.csv";
  EXPECT_NE(message(ErrorKind::usage, settings).find("--observations"), std::string::npos);
  const TemporaryDirectory folder;
  settings = quick("mixture");
  settings.reference = folder.file("x.csv");
  message(ErrorKind::io, settings);
  write_file_atomically(settings.reference, "a\n1\n2\n");
  EXPECT_NE(message(ErrorKind::input, settings).find("theta"), std::string::npos);
  write_file_atomically(settings.reference, "theta\n1\nnan\n");
  EXPECT_NE(message(ErrorKind::input, settings).find("finite"), std::string::npos);
}

}  // namespace
}  // namespace epsfree
