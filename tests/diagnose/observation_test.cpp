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
  const std::vector<Diagnosis> all = diagnose(problem, result, one, kSmallCheck);
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
  const std::vector<Diagnosis> again = diagnose(problem, result, three, kSmallCheck);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].value, again[i].value);
}

// Along the direction that no parameter reaches, by six standard deviations of the noise.
TEST(DiagnoseObservation, SeesAnObservationOutsideTheModel) {
  Problem problem = kObservedModel.problem();
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(kObservedModel.A).householderQ();
  problem.observed += 6 * kObservedModel.noise_std * Q.col(2);
  ThreadRunner runner(1);
  const std::vector<Diagnosis> all =
      diagnose(problem, result_at(problem.observed), runner, kSmallCheck);
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
      diagnose(problem, infer(problem, options, runner), runner, kSmallCheck);
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const Diagnosis& each) { return each.name == "network-sensitivity"; }),
            1);
  EXPECT_THROW(diagnose(problem, InferResult{}, runner, kSmallCheck), Error);
}

}  // namespace
}  // namespace epsfree
