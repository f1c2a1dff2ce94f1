#include "prob/regression/stacking.hpp"

#include "cases.hpp"

namespace epsfree {
namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

double objective(const Eigen::MatrixXd& log_densities, const Eigen::VectorXd& importance,
                 const Eigen::VectorXd& shares) {
  return importance.dot((log_densities.array().exp().matrix() * shares).array().log().matrix());
}

// A share f of the examples has density a under the first candidate and b under the second, the
// others the reverse. Setting the derivative to zero: (f a - (1 - f) b) / (a - b) for the first.
// Mutation seen to fail: importance ignored.
TEST(Stacking, TwoCandidatesHaveAKnownOptimum) {
  const double a = 1, b = 0.1, f = 0.7;
  const double expected = (f * a - (1 - f) * b) / (a - b);
  const Index n = 1000;
  Eigen::MatrixXd densities(n, 2);
  for (Index i = 0; i < n; ++i) {
    const bool first = i < n * 7 / 10;
    densities.row(i) << (first ? a : b), (first ? b : a);
  }
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
  Eigen::VectorXd shares = stacking_weights(densities.array().log().matrix(), ones);
  EXPECT_NEAR(shares[0], expected, 1e-3);
  EXPECT_NEAR(shares.sum(), 1, 1e-12);
  // The same share by importance instead of numbers.
  for (Index i = 0; i < n; ++i) {
    densities.row(i) << (i % 2 == 0 ? a : b), (i % 2 == 0 ? b : a);
  }
  Eigen::VectorXd importance(n);
  for (Index i = 0; i < n; ++i) importance[i] = i % 2 == 0 ? f : 1 - f;
  shares = stacking_weights(densities.array().log().matrix(), importance);
  EXPECT_NEAR(shares[0], expected, 1e-3);
}

TEST(Stacking, NoSharesPredictNotablyBetter) {
  Stream stream(351);
  const Eigen::MatrixXd log_densities = random_matrix(500, 3, stream);
  Eigen::VectorXd importance(500);
  for (double& value : importance) value = stream.exponential();
  const Eigen::VectorXd shares = stacking_weights(log_densities, importance);
  const double best = objective(log_densities, importance, shares);
  for (int i = 0; i < 200; ++i) {
    Eigen::Vector3d other(stream.exponential(), stream.exponential(), stream.exponential());
    other /= other.sum();
    EXPECT_LT(objective(log_densities, importance, other), best + 1e-2 * importance.sum());
  }
}

TEST(Stacking, UselessCandidatesAreLeftOut) {
  Stream stream(352);
  Eigen::MatrixXd log_densities = random_matrix(400, 4, stream);
  log_densities.col(1) = log_densities.col(0);              // a copy of a simpler one
  log_densities.col(2) = log_densities.col(0).array() - 3;  // worse everywhere
  // Mostly noise around another, and no better.
  log_densities.col(3) = log_densities.col(0) + 0.01 * random_vector(400, stream);
  log_densities.col(3).array() -= 0.01;
  const Eigen::VectorXd shares = stacking_weights(log_densities, Eigen::VectorXd::Ones(400));
  EXPECT_EQ(shares[0], 1);
  EXPECT_EQ(shares.tail(3).cwiseAbs().maxCoeff(), 0);
}

TEST(Stacking, OneCandidateHasItAll) {
  EXPECT_EQ(stacking_weights(Eigen::VectorXd::Constant(3, -5), Eigen::VectorXd::Ones(3))[0], 1);
}

// Densities may be astronomically small. Mutation seen to fail: densities not divided by the best.
TEST(Stacking, AConstantOnEveryLogDensityDoesNotMatter) {
  Stream stream(353);
  const Eigen::MatrixXd log_densities = random_matrix(100, 3, stream);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(100);
  expect_close(stacking_weights(log_densities.array() - 5000, ones),
               stacking_weights(log_densities, ones), 1e-9);
}

// A candidate may give some examples no density at all. Mutation seen to fail: no least density.
TEST(Stacking, NoDensityAtAllIsNotNaN) {
  Stream stream(354);
  Eigen::MatrixXd log_densities = random_matrix(100, 3, stream);
  log_densities.col(0).head(50).setConstant(-kInfinity);
  log_densities.col(1).tail(50).setConstant(-kInfinity);
  log_densities.col(2).setConstant(-kInfinity);
  const Eigen::VectorXd shares = stacking_weights(log_densities, Eigen::VectorXd::Ones(100));
  EXPECT_TRUE(shares.allFinite());
  EXPECT_NEAR(shares[0], 0.5, 1e-3);
  EXPECT_NEAR(shares[1], 0.5, 1e-3);
  EXPECT_EQ(shares[2], 0);
}

TEST(Stacking, AnExampleThatNoneExpectedSaysNothing) {
  Stream stream(355);
  Eigen::MatrixXd log_densities = random_matrix(100, 2, stream);
  const Eigen::VectorXd without =
      stacking_weights(log_densities.bottomRows(99), Eigen::VectorXd::Ones(99));
  log_densities.row(0).setConstant(-kInfinity);
  const Eigen::VectorXd shares = stacking_weights(log_densities, Eigen::VectorXd::Ones(100));
  EXPECT_TRUE(shares.allFinite());
  expect_close(shares, without, 0.02);
}

}  // namespace
}  // namespace epsfree
