#include <gtest/gtest.h>

#include "cases.hpp"

namespace epsfree {
namespace {

TEST(PriorDraws, HaveThePriorsMomentsAndStayInItsSupport) {
  Eigen::MatrixXd A(2, 2);
  A << 1, 0, 1, 1;
  const PriorPtr mixed = independent_prior({Marginal::uniform(-1, 3), Marginal::gamma(2, 3)});
  const PriorPtr box = uniform_prior(Eigen::Vector2d(0, 1), Eigen::Vector2d(10, 1.5));
  for (const PriorPtr& prior : {mixed, box, linear_image_prior(box, A, Eigen::Vector2d(5, -2)),
                                linear_image_prior(mixed, A, Eigen::Vector2d(5, -2)),
                                gaussian_prior(Gaussian::from_covariance(
                                    Eigen::Vector2d(1, 2), Eigen::Matrix2d::Identity()))}) {
    Stream stream(4);
    Eigen::MatrixXd thetas(2, 20000);
    prior->draw_columns(stream, thetas);
    for (Index n = 0; n < thetas.cols(); ++n) ASSERT_TRUE(prior->contains(thetas.col(n)));
    expect_sample_mean(thetas, prior->mean(), prior->covariance());
    const Eigen::MatrixXd centred = thetas.colwise() - thetas.rowwise().mean();
    const Eigen::MatrixXd covariance = centred * centred.transpose() / 20000.0;
    expect_close(covariance, prior->covariance(), 0.05 * prior->covariance().norm());
  }
}

// A box so far from zero that rounding leaves it.
TEST(PriorDraws, AreBroughtBackWhereRoundingLeavesTheSupport) {
  const PriorPtr base = uniform_prior(Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 1e-9));
  const PriorPtr prior = linear_image_prior(base, Eigen::MatrixXd::Constant(1, 1, 3.0),
                                            Eigen::VectorXd::Constant(1, 1e7));
  Stream stream(5);
  Eigen::MatrixXd thetas(1, 1000);
  prior->draw_columns(stream, thetas);
  for (Index n = 0; n < 1000; ++n) EXPECT_TRUE(prior->contains(thetas.col(n)));
}

}  // namespace
}  // namespace epsfree
