#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/diagnose.hpp"
#include "epsfree/error.hpp"
#include "prob/normal.hpp"

namespace epsfree {
namespace {

std::vector<Eigen::MatrixXd> chains(Index dim, Index length, int count, std::uint64_t seed) {
  Stream stream(seed);
  std::vector<Eigen::MatrixXd> result(static_cast<std::size_t>(count),
                                      Eigen::MatrixXd(dim, length));
  for (Eigen::MatrixXd& chain : result) {
    for (double& value : chain.reshaped()) value = stream.normal();
  }
  return result;
}

// One chain of four states: halves (1, 2) and (3, 4), whose scores are -b, -a, a, b.
TEST(SplitRhat, ByHand) {
  Eigen::MatrixXd chain(1, 4);
  chain << 1, 2, 3, 4;
  const double a = normal_quantile((3 - 0.375) / 4.25), b = normal_quantile((4 - 0.375) / 4.25);
  const double within = (b - a) * (b - a) / 2;  // of either half
  const double between = 2 * (a + b) * (a + b) / 2;
  const double expected = std::sqrt(0.5 + between / (2 * within));
  EXPECT_NEAR(split_rhat(std::span(&chain, 1))[0], expected, 1e-12);
}

TEST(SplitRhat, IsOneOnlyForChainsThatAgree) {
  std::vector<Eigen::MatrixXd> all = chains(5, 500, 4, 1);
  EXPECT_LT((split_rhat(all).array() - 1).abs().maxCoeff(), 0.01);
  all[0].row(1).array() += 1;  // another place
  all[0].row(2) *= 4;          // another width
  for (auto& chain : all) chain.row(3) += Eigen::RowVectorXd::LinSpaced(500, 0, 2);  // on its way
  all[2](4, 17) = 1e12;  // a wild state, which ranks bear
  const Eigen::VectorXd found = split_rhat(all);
  EXPECT_LT(found[0], 1.01);
  EXPECT_GT(found[1], 1.05);
  EXPECT_GT(found[2], 1.05);
  EXPECT_GT(found[3], 1.05);
  EXPECT_LT(found[4], 1.01);
}

TEST(DiagnoseChains, GivesVerdicts) {
  const std::vector<Eigen::MatrixXd> good = chains(2, 500, 4, 2);
  EXPECT_EQ(worst(diagnose_chains(good)), Verdict::pass);
  std::vector<Eigen::MatrixXd> stuck(4, Eigen::MatrixXd::Ones(2, 100));
  for (const Diagnosis& each : diagnose_chains(stuck))
    EXPECT_EQ(each.verdict, Verdict::fail) << each.name;
  std::vector<Eigen::MatrixXd> apart = chains(1, 500, 2, 3);
  apart[1].array() += 10;
  EXPECT_EQ(diagnose_chains(apart)[0].verdict, Verdict::fail);
  EXPECT_THROW(split_rhat({}), Error);
  apart[1].conservativeResize(1, 100);
  EXPECT_THROW(split_rhat(apart), Error);
}

}  // namespace
}  // namespace epsfree
