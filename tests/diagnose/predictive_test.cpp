#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/whitening.hpp"
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

// A new draw lies among the others: p-values below 10% in a tenth of all cases.
TEST(PredictiveChecks, PValuesOfNewDrawsAreUniform) {
  constexpr int kTrials = 300;
  Stream stream(1);
  int predictive = 0, misspecified = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const PredictiveSimulations own = {Eigen::MatrixXd::Zero(2, 99), draws(99, stream), 99};
    const Eigen::VectorXd observed = draws(1, stream);
    predictive += predictive_check(observed, own).value <= 0.1;
    misspecified += misspecification(observed, own, "prior").value <= 0.1;
  }
  const double spread = 5 * std::sqrt(0.09 * kTrials);
  EXPECT_NEAR(predictive, 0.1 * kTrials, spread);
  EXPECT_NEAR(misspecified, 0.1 * kTrials, spread);
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

}  // namespace
}  // namespace epsfree
