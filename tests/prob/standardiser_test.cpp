#include "epsfree/standardiser.hpp"

#include "cases.hpp"

namespace epsfree {
namespace {

Eigen::MatrixXd data(Stream& stream) {
  const Eigen::MatrixXd A = random_matrix(4, 4, stream);
  const Eigen::VectorXd scale = Eigen::Vector4d(1, 1e-6, 1e6, 30);
  return (scale.asDiagonal() * A * random_matrix(4, 300, stream)).colwise() +
         Eigen::VectorXd(Eigen::Vector4d(5, -1, 1e5, 0));
}

Eigen::MatrixXd second_moment(const Eigen::MatrixXd& y) {
  return y * y.transpose() / static_cast<double>(y.cols());
}

TEST(Standardiser, NormalisedDataHaveUnitVariance) {
  Stream stream(91);
  const Eigen::MatrixXd x = data(stream);
  const Standardiser s = Standardiser::fit(x, Scaling::normalise);
  const Eigen::MatrixXd y = s.apply(x);
  expect_close(y.rowwise().mean(), Eigen::VectorXd::Zero(4), 1e-9);
  expect_close(second_moment(y).diagonal(), Eigen::VectorXd::Ones(4), 1e-10);
  EXPECT_TRUE(s.matrix().isDiagonal(0.0));
}

TEST(Standardiser, WhitenedDataHaveUnitCovarianceForAnyUnits) {
  Stream stream(92);
  const Eigen::MatrixXd x = data(stream);
  const Eigen::MatrixXd y = Standardiser::fit(x, Scaling::whiten).apply(x);
  expect_close(second_moment(y), Eigen::MatrixXd::Identity(4, 4), 1e-9);
}

TEST(Standardiser, InvertUndoesApply) {
  Stream stream(93);
  const Eigen::MatrixXd x = data(stream);
  for (const Scaling scaling : {Scaling::as_is, Scaling::normalise, Scaling::whiten}) {
    const Standardiser s = Standardiser::fit(x, scaling);
    const Eigen::MatrixXd back = s.invert(s.apply(x));
    const Eigen::VectorXd scale = x.rowwise().norm();
    expect_close(scale.cwiseInverse().asDiagonal() * (back - x), Eigen::MatrixXd::Zero(4, 300),
                 1e-10);
    const Standardiser again = Standardiser::from_parts(s.shift(), s.matrix());
    EXPECT_EQ(again.apply(x), s.apply(x));
  }
}

TEST(Standardiser, WhatDoesNotVaryIsOnlyCentred) {
  Stream stream(94);
  Eigen::MatrixXd x = random_matrix(3, 50, stream);
  x.row(1).setConstant(1e6 + 0.1);
  const Standardiser normalised = Standardiser::fit(x, Scaling::normalise);
  EXPECT_EQ(normalised.matrix()(1, 1), 1);
  EXPECT_NEAR(normalised.apply(x).row(1).cwiseAbs().maxCoeff(), 0, 1e-8);
  // Two statistics that always agree: one direction has no spread.
  x.row(1) = 2 * x.row(0);
  const Standardiser whitened = Standardiser::fit(x, Scaling::whiten);
  const Eigen::MatrixXd y = whitened.apply(x);
  EXPECT_TRUE(y.allFinite());
  EXPECT_LT(whitened.matrix().cwiseAbs().maxCoeff(), 10);
  EXPECT_NEAR(second_moment(y).trace(), 2, 1e-9);
  // One point: nothing varies.
  EXPECT_EQ(Standardiser::fit(x.col(0), Scaling::whiten).apply(x.col(0)), Eigen::VectorXd::Zero(3));
}

TEST(Standardiser, RefusesBadInput) {
  expect_error(ErrorKind::input, "no points",
               [] { Standardiser::fit(Eigen::MatrixXd(3, 0), Scaling::normalise); });
  expect_error(ErrorKind::input, "finite", [] {
    Standardiser::fit(Eigen::MatrixXd::Constant(1, 2, std::nan("")), Scaling::normalise);
  });
  expect_error(ErrorKind::input, "scale = 0",
               [] { Standardiser::diagonal(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 0)); });
  expect_error(ErrorKind::input, "invertible", [] {
    Standardiser::from_parts(Eigen::Vector2d(0, 0), Eigen::MatrixXd::Ones(2, 2));
  });
  expect_error(ErrorKind::input, "3 dimensions",
               [] { Standardiser::identity(2).apply(Eigen::MatrixXd::Zero(3, 1)); });
  EXPECT_EQ(to_string(Scaling::as_is), "as-is");
  EXPECT_EQ(to_string(Scaling::whiten), "whiten");
}

}  // namespace
}  // namespace epsfree
