#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <set>

#include "diagnose/toy_procedures.hpp"
#include "epsfree/diagnose.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

const LinearGaussian kObservedModel = LinearGaussian::make(2, 3, 0.5);
const DiagnoseOptions kSmallCheck = {
    .num_predictive = 400, .num_prior = 400, .num_weight_draws = 5};

InferResult result_at(const Eigen::VectorXd& observed) {
  InferResult result;
  result.posterior = toy_procedure(kObservedModel, Defect::none)(observed, 1, nullptr);
  return result;
}

TEST(DiagnoseObservation, PassesARightAnswerForAnyNumberOfThreads) {
  const Problem problem = kObservedModel.problem();
  InferOptions options;
  options.num_simulations = 600;
  ThreadRunner one(1), three(3);
  const InferResult result = infer(problem, options, one);
  const std::vector<Diagnosis> all = diagnose(problem, result, one, kSmallCheck).diagnoses;
  std::set<std::string> names;
  for (const Diagnosis& each : all) {
    EXPECT_NE(each.verdict, Verdict::fail) << each.name << " " << each.value;
    names.insert(each.name);
  }
  for (const char* name :
       {"posterior-predictive", "predictive-statistics", "misspecification-posterior",
        "misspecification-prior", "round-convergence", "budget", "support"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  const std::vector<Diagnosis> again = diagnose(problem, result, three, kSmallCheck).diagnoses;
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].value, again[i].value);
}

// Along the direction that no parameter reaches, by six standard deviations of the noise.
TEST(DiagnoseObservation, SeesAnObservationOutsideTheModel) {
  Problem problem = kObservedModel.problem();
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(kObservedModel.A).householderQ();
  problem.observed += 6 * kObservedModel.noise_std * Q.col(2);
  ThreadRunner runner(1);
  const std::vector<Diagnosis> all =
      diagnose(problem, result_at(problem.observed), runner, kSmallCheck).diagnoses;
  EXPECT_EQ(worst(all), Verdict::fail);
  for (const Diagnosis& each : all) {
    if (each.name == "posterior-predictive" || each.name == "misspecification-prior") {
      EXPECT_EQ(each.verdict, Verdict::fail) << each.name;
    }
  }
}

TEST(DiagnoseObservation, LooksAtAVariationalNetwork) {
  const Problem problem = kObservedModel.problem();
  InferOptions options;
  MdnWithPriorOptions network;
  network.training.num_steps = 200;
  options.method = network;
  options.num_simulations = 300 + network.pilot.num_simulations;
  ThreadRunner runner(1);
  const std::vector<Diagnosis> all =
      diagnose(problem, infer(problem, options, runner), runner, kSmallCheck).diagnoses;
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const Diagnosis& each) { return each.name == "network-sensitivity"; }),
            1);
  EXPECT_THROW(diagnose(problem, InferResult{}, runner, kSmallCheck), Error);
}

TEST(DiagnoseObservation, CountsItsSimulationsAndUsesThoseThatAreThere) {
  const Problem problem = kObservedModel.problem();
  const InferResult result = result_at(problem.observed);
  ThreadRunner runner(1);
  const AnswerDiagnoses made = diagnose(problem, result, runner, kSmallCheck);
  EXPECT_EQ(made.num_posterior, 400);
  EXPECT_EQ(made.num_prior, 400);
  EXPECT_TRUE(made.notes.empty());

  // Enough are known: none is made, and they give the same as when they are made.
  DiagnoseOptions options = kSmallCheck;
  options.num_prior = 20;
  options.known_prior = simulate_prior(problem, 400, options.seed, runner);
  const AnswerDiagnoses known = diagnose(problem, result, runner, options);
  EXPECT_EQ(known.num_prior, 400);
  ASSERT_EQ(known.diagnoses.size(), made.diagnoses.size());
  for (std::size_t i = 0; i < made.diagnoses.size(); ++i) {
    EXPECT_EQ(known.diagnoses[i].value, made.diagnoses[i].value) << made.diagnoses[i].name;
  }

  // Too few are known: they count besides those that are made.
  options.num_prior = 400;
  options.known_prior = simulate_prior(problem, 19, 7, runner);
  EXPECT_EQ(diagnose(problem, result, runner, options).num_prior, 419);
}

TEST(DiagnoseObservation, NamesStatisticsAndTakesLevels) {
  Problem problem = kObservedModel.problem();
  problem.observed[2] += 40;
  const InferResult result = result_at(kObservedModel.problem().observed);
  ThreadRunner runner(1);
  DiagnoseOptions options = kSmallCheck;
  options.statistic_names = {"mass", "height", "age"};
  const AnswerDiagnoses named = diagnose(problem, result, runner, options);
  const auto at =
      std::find_if(named.diagnoses.begin(), named.diagnoses.end(),
                   [](const Diagnosis& each) { return each.name == "predictive-statistics"; });
  ASSERT_NE(at, named.diagnoses.end());
  EXPECT_EQ(at->verdict, Verdict::fail);
  EXPECT_NE(at->meaning.find("age"), std::string::npos) << at->meaning;
  // At a level below every p-value no test fails.
  options.levels = {.fail = 1e-300, .warn = 1e-299};
  for (const Diagnosis& each : diagnose(problem, result, runner, options).diagnoses) {
    if (!each.is_p_value) continue;
    EXPECT_EQ(each.verdict, Verdict::pass) << each.name << " " << each.value;
  }
}

TEST(DiagnoseObservation, SaysWhatWasNotChecked) {
  const Problem problem = kObservedModel.problem();
  ThreadRunner runner(1);
  const AnswerDiagnoses none =
      diagnose(problem, result_at(problem.observed), runner, {.num_predictive = 0, .num_prior = 0});
  EXPECT_EQ(none.num_posterior + none.num_prior, 0);
  ASSERT_EQ(none.notes.size(), 1u);
  EXPECT_EQ(none.notes[0], "No simulations were made to check the posterior with.");
  for (const Diagnosis& each : none.diagnoses) EXPECT_FALSE(each.is_p_value) << each.name;
  EXPECT_THROW(diagnose(problem, result_at(problem.observed), runner, {.num_predictive = 19}),
               Error);
}

}  // namespace
}  // namespace epsfree
