#include "epsfree/effective_size.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "epsfree/error.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

/// x_n = a x_{n-1} + noise, started in its stationary distribution.
Eigen::VectorXd autoregressive(Index count, double a, Stream& stream) {
  Eigen::VectorXd x(count);
  x[0] = stream.normal() / std::sqrt(1 - a * a);
  for (Index n = 1; n < count; ++n) x[n] = a * x[n - 1] + stream.normal();
  return x;
}

TEST(EffectiveSize, OfKnownWeights) {
  EXPECT_NEAR(effective_size(Eigen::Vector3d(0.5, 0.2, 0.3)), 1 / (0.25 + 0.04 + 0.09), 1e-12);
  EXPECT_NEAR(effective_size(Eigen::Vector3d(5, 2, 3)), 1 / (0.25 + 0.04 + 0.09), 1e-12);
  EXPECT_NEAR(effective_size(Eigen::Vector4d(0, 0, 7, 0)), 1, 1e-12);
  EXPECT_NEAR(effective_size(Eigen::VectorXd::Constant(100, 0.3)), 100, 1e-10);
}

// The autocorrelation time of an AR(1) chain is (1 + a) / (1 - a). Its estimate has a relative
// error of about sqrt(2 (2 L + 1) / N) with L lags summed, and L is some 5 / (1 - a).
TEST(EffectiveSize, AutocorrelationTimeOfAnAutoregressiveChain) {
  Stream stream(5);
  constexpr Index kCount = 200000;
  for (const double a : {0.0, 0.5, 0.9, 0.97}) {
    const double expected = (1 + a) / (1 - a);
    const double lags = 5 / (1 - a);
    const double error = std::sqrt(2 * (2 * lags + 1) / double{kCount});
    EXPECT_NEAR(autocorrelation_time(autoregressive(kCount, a, stream)) / expected, 1, 4 * error)
        << a;
  }
}

TEST(EffectiveSize, OfChainsIsTheLeastOfAllComponents) {
  Stream stream(6);
  constexpr Index kCount = 50000;
  std::vector<Eigen::MatrixXd> chains(2, Eigen::MatrixXd(2, kCount));
  for (Eigen::MatrixXd& chain : chains) {
    chain.row(0) = autoregressive(kCount, 0.2, stream).transpose();
    chain.row(1) = autoregressive(kCount, 0.8, stream).transpose();
  }
  EXPECT_NEAR(effective_size_of_chains(chains) / (2 * kCount / 9.0), 1, 0.1);
  // Each chain mixes by itself, but they do not agree: that is worth next to nothing.
  chains[1].row(0).array() += 50;
  EXPECT_LT(effective_size_of_chains(chains), 100);
}

TEST(EffectiveSize, OfChainsThatNeverMoveIsZero) {
  const std::vector<Eigen::MatrixXd> chains(3, Eigen::MatrixXd::Constant(2, 500, 0.1));
  EXPECT_EQ(effective_size_of_chains(chains), 0);
  EXPECT_EQ(effective_size_of_chains({}), 0);
  EXPECT_TRUE(std::isinf(autocorrelation_time(Eigen::VectorXd::Constant(100, 1e6 + 0.1))));
}

TEST(EffectiveSize, RefusesChainsOfOtherLengths) {
  const std::vector<Eigen::MatrixXd> chains = {Eigen::MatrixXd::Zero(1, 5),
                                               Eigen::MatrixXd::Zero(1, 4)};
  EXPECT_THROW(effective_size_of_chains(chains), Error);
}

}  // namespace
}  // namespace epsfree
