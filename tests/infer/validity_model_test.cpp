#include "infer/synthetic/validity_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

// p(valid) = logistic(1 - z): a mean error above 0.05 is more than 3000 simulations leave.
TEST(ValidityModel, RecoversALogisticProbability) {
  Stream stream(2);
  Eigen::MatrixXd z(1, 3000);
  std::vector<SimStatus> statuses;
  for (Index i = 0; i < z.cols(); ++i) {
    z(0, i) = 5 + 2 * stream.normal();
    const bool valid = stream.uniform() < 1 / (1 + std::exp(z(0, i) - 6));
    statuses.push_back(valid ? SimStatus::ok : SimStatus::invalid);
  }
  statuses[0] = SimStatus::failed;
  const ValidityModel model(z, statuses);
  EXPECT_FALSE(model.always_valid());
  for (const double at : {2.0, 4.0, 6.0, 8.0}) {
    EXPECT_NEAR(std::exp(model.log_prob(Eigen::VectorXd::Constant(1, at))),
                1 / (1 + std::exp(at - 6)), 0.05)
        << at;
  }
}

// A sharp border: coefficients would grow without end but for their prior.
TEST(ValidityModel, IsFiniteWhereValidityIsCertain) {
  Stream stream(3);
  Eigen::MatrixXd z(2, 400);
  std::vector<SimStatus> statuses;
  for (Index i = 0; i < z.cols(); ++i) {
    z.col(i) << stream.normal(), stream.normal();
    statuses.push_back(z(0, i) < 1 ? SimStatus::ok : SimStatus::invalid);
  }
  const ValidityModel model(z, statuses);
  EXPECT_GT(model.log_prob(Eigen::Vector2d(0, 0)), -0.1);
  EXPECT_LT(model.log_prob(Eigen::Vector2d(2, 0)), -1);
  EXPECT_TRUE(std::isfinite(model.log_prob(Eigen::Vector2d(1e6, -1e6))));
}

TEST(ValidityModel, FaultsAreNotInvalid) {
  const std::vector<SimStatus> statuses = {SimStatus::ok, SimStatus::failed, SimStatus::timeout};
  const ValidityModel model(Eigen::MatrixXd::Random(2, 3), statuses);
  EXPECT_TRUE(model.always_valid());
  EXPECT_EQ(model.log_prob(Eigen::Vector2d(0, 0)), 0);
}

}  // namespace
}  // namespace epsfree
