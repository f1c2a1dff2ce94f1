#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/two_sample/whitening.hpp"
#include "epsfree/diagnose.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

/// Correlated, of very different units.
Eigen::MatrixXd draws(Index count, Stream& stream) {
  Eigen::MatrixXd x(2, count);
  for (Index i = 0; i < count; ++i) {
    const double a = stream.normal(), b = stream.normal();
    x.col(i) << 1000 * a, 0.001 * (0.95 * a + 0.3 * b);
  }
  return x;
}

PredictiveSimulations simulations(Index count, std::uint64_t seed) {
  Stream stream(seed);
  return {Eigen::MatrixXd::Zero(2, count), draws(count, stream), count};
}

// A new draw lies among the others: p-values below 10% in a tenth of all cases, with as many
// statistics as half of the simulations too. Mutation seen to fail: scales learnt without the
// observation.
TEST(PredictiveChecks, PValuesOfNewDrawsAreUniform) {
  constexpr int kTrials = 300;
  for (const Index num_more : {0, 48}) {
    Stream stream(1);
    int predictive = 0, single = 0, misspecified = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      Eigen::MatrixXd all(2 + num_more, 100);
      all.topRows(2) = draws(100, stream);
      for (double& each : all.bottomRows(num_more).reshaped()) each = stream.normal();
      const PredictiveSimulations own = {Eigen::MatrixXd::Zero(2, 99), all.leftCols(99), 99};
      const Eigen::VectorXd observed = all.col(99);
      predictive += predictive_check(observed, own).value <= 0.1;
      single += predictive_statistics(observed, own).value <= 0.1;
      misspecified += misspecification(observed, own, "prior").value <= 0.1;
    }
    const double spread = 5 * std::sqrt(0.09 * kTrials);
    EXPECT_NEAR(predictive, 0.1 * kTrials, spread) << num_more;
    EXPECT_NEAR(single, 0.1 * kTrials, spread) << num_more;
    EXPECT_NEAR(misspecified, 0.1 * kTrials, spread) << num_more;
  }
}

// One statistic of fifty is off by five deviations: together they hide it, alone it stands out. A
// heavy tail among them does not hide it.
TEST(PredictiveChecks, OneBadStatisticAmongManyIsNamed) {
  constexpr Index kMany = 50, kCount = 1000;
  Stream stream(61001);
  Eigen::MatrixXd x(kMany, kCount + 1);
  for (double& each : x.reshaped()) each = stream.normal();
  x.row(7) = (2 * x.row(7).array()).exp().eval();
  std::vector<std::string> names;
  for (Index s = 1; s <= kMany; ++s) names.push_back("s" + std::to_string(s));
  const PredictiveSimulations own = {Eigen::MatrixXd::Zero(2, kCount), x.leftCols(kCount), kCount};
  Eigen::VectorXd observed = x.col(kCount);
  EXPECT_EQ(predictive_statistics(observed, own, names).verdict, Verdict::pass);
  observed[30] = 5.2;
  const Diagnosis found = predictive_statistics(observed, own, names);
  EXPECT_EQ(found.verdict, Verdict::fail) << found.value;
  EXPECT_NE(found.meaning.find("farthest out is s31,"), std::string::npos) << found.meaning;
  EXPECT_EQ(found.meaning.find("Besides"), std::string::npos) << found.meaning;
  EXPECT_GT(predictive_check(observed, own, names).value, 2 * found.value);
  const DiagnosisTable* table = found.table("statistics");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->columns.back(), "deviation");
  EXPECT_NEAR(table->values(30, 5), 5.2 / 1.645, 0.6);
  observed[11] = -9;
  EXPECT_NE(predictive_statistics(observed, own, names).meaning.find("Besides it stand out: s31."),
            std::string::npos);
}

TEST(PredictiveChecks, StatisticsThatHardlyVary) {
  PredictiveSimulations own = simulations(300, 61001);
  own.statistics.row(1).setConstant(1.0 / 3);
  EXPECT_EQ(predictive_statistics(Eigen::Vector2d(0, 0.3333333), own).verdict, Verdict::pass);
  EXPECT_EQ(predictive_check(Eigen::Vector2d(0, 0.3333333), own).verdict, Verdict::pass);
  EXPECT_EQ(predictive_statistics(Eigen::Vector2d(0, 0.34), own).verdict, Verdict::fail);
  own.statistics.row(1).setZero();
  own.statistics(1, 5) = 2;  // a count that is nearly always zero
  EXPECT_EQ(predictive_statistics(Eigen::Vector2d(0, 0), own).verdict, Verdict::pass);
  EXPECT_LE(predictive_statistics(Eigen::Vector2d(0, 2), own).value, 0.01);
  const PredictiveSimulations few = {Eigen::MatrixXd::Zero(2, 3), Eigen::MatrixXd::Zero(2, 3), 9};
  EXPECT_EQ(predictive_statistics(Eigen::Vector2d::Zero(), few).verdict, Verdict::fail);
}

// Within the range of each statistic, but not of both together: (2, -2) standard deviations.
TEST(PredictiveChecks, SeeWhatNoSingleStatisticShows) {
  const PredictiveSimulations own = simulations(1000, 2);
  const Eigen::Vector2d observed(2000, -0.002);
  const Diagnosis check = predictive_check(observed, own, {"mass", "rate"});
  EXPECT_LT(check.value, 1e-4);
  EXPECT_EQ(check.verdict, Verdict::fail);
  const DiagnosisTable* table = check.table("statistics");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->labels[0], "mass");
  EXPECT_GT(table->values(0, 4), 0.01);
  EXPECT_GT(table->values(1, 4), 0.01);
  EXPECT_EQ(misspecification(observed, own, "prior").verdict, Verdict::fail);
}

// A hole in the middle: near the centre, but far from every simulation.
TEST(PredictiveChecks, MisspecificationSeesAHole) {
  Stream stream(3);
  Eigen::MatrixXd ring(2, 1000);
  for (Index i = 0; i < 1000; ++i) {
    const double angle = stream.uniform(0, 6.283185307), radius = 5 + 0.1 * stream.normal();
    ring.col(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  const PredictiveSimulations own = {Eigen::MatrixXd::Zero(2, 1000), ring, 1000};
  EXPECT_EQ(misspecification(Eigen::Vector2d::Zero(), own, "prior").verdict, Verdict::fail);
  EXPECT_EQ(prior_misspecification(Eigen::Vector2d::Zero(), own)->verdict, Verdict::fail);
  PredictiveSimulations few = own;
  few.statistics.conservativeResize(Eigen::NoChange, 19);
  EXPECT_FALSE(prior_misspecification(Eigen::Vector2d::Zero(), few));
  EXPECT_EQ(misspecification(Eigen::Vector2d(0, 5), own, "prior").verdict, Verdict::pass);
  EXPECT_EQ(predictive_check(Eigen::Vector2d::Zero(), own).verdict, Verdict::pass);
}

TEST(PredictiveChecks, AFewWildSimulationsDoNotHideTheRest) {
  PredictiveSimulations own = simulations(1000, 4);
  own.statistics.leftCols(5) *= 1e6;
  EXPECT_LT(misspecification(Eigen::Vector2d(20000, 0.02), own, "prior").value, 0.02);
  EXPECT_GT(misspecification(Eigen::Vector2d(500, 0.0005), own, "prior").value, 0.1);
}

TEST(PredictiveChecks, WhatDoesNotVaryMustNotDiffer) {
  PredictiveSimulations own = simulations(300, 5);
  own.statistics.row(1).setConstant(3);
  EXPECT_EQ(misspecification(Eigen::Vector2d(0, 3), own, "prior").verdict, Verdict::pass);
  EXPECT_EQ(misspecification(Eigen::Vector2d(0, 3.1), own, "prior").verdict, Verdict::fail);
}

TEST(PredictiveChecks, FailWhereThereIsNothingToCompareWith) {
  const PredictiveSimulations few = {Eigen::MatrixXd::Zero(2, 3), Eigen::MatrixXd::Zero(2, 3),
                                     1000};
  const Diagnosis check = predictive_check(Eigen::Vector2d::Zero(), few);
  EXPECT_EQ(check.verdict, Verdict::fail);
  EXPECT_NE(check.meaning.find("3 of 1000"), std::string::npos);
  EXPECT_THROW(predictive_check(Eigen::Vector3d::Zero(), simulations(30, 6)), Error);
}

// Beyond all others a Pareto tail goes on: of values u^-xi the probability of exceeding t is
// t^(-1/xi).
TEST(UpperTail, GoesOnBeyondAllOthers) {
  Stream stream(7);
  Eigen::VectorXd values(2000);
  for (double& each : values) each = std::pow(stream.uniform(), -0.5);
  EXPECT_NEAR(upper_tail_p(values, 2), 0.25, 0.05);
  EXPECT_NEAR(std::log10(upper_tail_p(values, 1000)), -6, 0.8);
  EXPECT_DOUBLE_EQ(upper_tail_p(Eigen::VectorXd::Ones(9), 2), 0.1);
}

// More statistics than simulations: whitened by itself, every point would be equally far away.
TEST(PredictiveChecks, ManyStatisticsAndFewSimulationsStillTellSomething) {
  constexpr Index kStatistics = 300, kSimulations = 100, kTrials = 40;
  int rejected = 0, seen = 0;
  for (int study = 0; study < kTrials; ++study) {
    Stream stream(61500 + static_cast<std::uint64_t>(study));
    Eigen::MatrixXd x(kStatistics, kSimulations);
    for (double& value : x.reshaped()) value = stream.normal();
    Eigen::VectorXd observed(kStatistics);
    for (double& value : observed) value = stream.normal();
    const PredictiveSimulations simulations{{}, x, kSimulations};
    rejected += predictive_check(observed, simulations).value < 0.1 ? 1 : 0;
    observed *= 1.5;
    seen += predictive_check(observed, simulations).value < 0.05 ? 1 : 0;
  }
  // P(X > 10) = 0.0017 for X ~ B(40, 0.1).
  EXPECT_LE(rejected, 10);
  EXPECT_GE(seen, kTrials / 2);
}

TEST(PredictiveChecks, TheSentenceSaysWhatTheTableSays) {
  Stream stream(61600);
  Eigen::MatrixXd x(3, 200);
  for (double& value : x.reshaped()) value = stream.normal();
  const Diagnosis found = predictive_statistics(Eigen::Vector3d(0, 4, 0.1), {{}, x, 200});
  const DiagnosisTable* table = found.table("statistics");
  ASSERT_NE(table, nullptr);
  char expected[64];
  std::snprintf(expected, sizeof expected, "x2, %.3g times", table->values(1, 5));
  EXPECT_NE(found.meaning.find(expected), std::string::npos) << found.meaning;
}

}  // namespace
}  // namespace epsfree
