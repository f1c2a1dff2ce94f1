#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/diagnose.hpp"

namespace epsfree {
namespace {

RoundSummary round_of(long simulations, double mean, double deviation) {
  RoundSummary round;
  round.simulations.by_status[0] = simulations;
  round.mean = Eigen::Vector2d(mean, 0);
  round.standard_deviation = Eigen::Vector2d(deviation, 1);
  return round;
}

TEST(RoundConvergence, IsTheLargestChangeOfTheLastRound) {
  Summary summary;
  EXPECT_FALSE(round_convergence(summary));
  summary.rounds = {round_of(100, 9, 4), round_of(100, 1, 2)};
  EXPECT_DOUBLE_EQ(round_convergence(summary)->value, 4);  // 8 over 2
  EXPECT_EQ(round_convergence(summary)->verdict, Verdict::fail);
  summary.rounds.push_back(round_of(100, 1.2, 0.5));
  EXPECT_DOUBLE_EQ(round_convergence(summary)->value, std::log(4.0));
  EXPECT_EQ(round_convergence(summary)->verdict, Verdict::warn);
  summary.rounds.push_back(round_of(100, 1.2, 0.5));
  summary.rounds.push_back(RoundSummary{});  // says nothing of the posterior
  EXPECT_EQ(round_convergence(summary)->verdict, Verdict::pass);
  const Diagnosis diagnosis = *round_convergence(summary);
  const DiagnosisTable* table = diagnosis.table("rounds");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->values.rows(), 4);
  EXPECT_EQ(table->values(3, 0), 400);
  EXPECT_EQ(table->columns.size(), 6u);
}

TEST(RoundConvergence, AFinerFinalFitIsNoMovement) {
  Summary summary;
  summary.rounds = {round_of(100, 5, 4), round_of(100, 1, 2), round_of(100, 1, 2),
                    round_of(100, 1.7, 0.2)};
  for (RoundSummary& round : summary.rounds) round.phase = "round";
  EXPECT_EQ(round_convergence(summary)->verdict, Verdict::fail);
  summary.rounds.back().phase = "final";
  EXPECT_EQ(round_convergence(summary)->value, 0);
  EXPECT_EQ(budget_curve(summary)->table("rounds")->values.rows(), 3);
}

// From 100 to 400 simulations the answer moved by c (1/10 - 1/20), from 400 to 800 it will move by
// c (1/20 - 1/sqrt(800)).
TEST(BudgetCurve, SaysWhatTwiceTheSimulationsWouldChange) {
  Summary summary;
  EXPECT_FALSE(budget_curve(summary));
  summary.rounds = {round_of(100, 0.10, 1), round_of(300, 0.05, 1)};
  EXPECT_NEAR(budget_curve(summary)->value, 0.05 - 1 / std::sqrt(800.0), 1e-12);
  // Half of the simulations, not the first round.
  summary.rounds = {round_of(100, 50, 1), round_of(100, 0.1, 1), round_of(200, 0, 1)};
  EXPECT_LT(budget_curve(summary)->value, 0.1);
  summary.rounds = {round_of(100, 20, 1), round_of(100, 0, 1)};
  EXPECT_EQ(budget_curve(summary)->verdict, Verdict::fail);
}

TEST(RunDiagnoses, ThoseThatReadOneNumber) {
  Summary summary;
  EXPECT_EQ(support_mass(summary).verdict, Verdict::pass);
  summary.mass_on_support = 0.4;
  EXPECT_EQ(support_mass(summary).verdict, Verdict::warn);
  summary.mass_on_support = 0.05;
  EXPECT_EQ(support_mass(summary).verdict, Verdict::fail);
  EXPECT_DOUBLE_EQ(support_mass(summary).value, 0.95);
  // The same of two parameters is less of each.
  summary.rounds = {round_of(100, 0, 1)};
  summary.mass_on_support = 0.36;
  EXPECT_DOUBLE_EQ(support_mass(summary).value, 0.4);
  EXPECT_EQ(support_mass(summary).verdict, Verdict::pass);
  summary.rounds.clear();

  EXPECT_FALSE(sample_size(summary));
  summary.effective_sample_size = 5;
  EXPECT_EQ(sample_size(summary)->verdict, Verdict::fail);
  summary.effective_sample_size = 500;
  EXPECT_EQ(sample_size(summary)->verdict, Verdict::pass);

  EXPECT_FALSE(tolerance(summary));
  summary.method = "smc-abc";
  summary.epsilon = 0.1;
  summary.adjustment = "linear";
  EXPECT_FALSE(tolerance(summary));
  summary.adjustment = "none";
  EXPECT_EQ(tolerance(summary)->verdict, Verdict::warn);  // not known
  summary.blur = 0.2;
  EXPECT_EQ(tolerance(summary)->verdict, Verdict::pass);
  summary.blur = 0.7;
  EXPECT_EQ(tolerance(summary)->verdict, Verdict::warn);
  summary.blur = 2.5;
  EXPECT_EQ(tolerance(summary)->verdict, Verdict::fail);

  EXPECT_FALSE(acceptance(summary));
  summary.chains = {.num_chains = 4, .acceptance_rate = 0.01};
  EXPECT_EQ(acceptance(summary)->verdict, Verdict::warn);
  summary.chains.acceptance_rate = 0;
  EXPECT_EQ(acceptance(summary)->verdict, Verdict::fail);
}

}  // namespace
}  // namespace epsfree
