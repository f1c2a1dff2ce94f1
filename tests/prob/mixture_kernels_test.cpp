#include "prob/mixtures/mixture_kernels.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "base/cpu.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

std::vector<MixtureKernels> all_kernels() {
  std::vector<MixtureKernels> all = {baseline::mixture_kernels()};
#if defined(__x86_64__)
  if (best_isa() >= Isa::avx2) all.push_back(avx2::mixture_kernels());
  if (best_isa() >= Isa::avx512) all.push_back(avx512::mixture_kernels());
#endif
  return all;
}

Eigen::MatrixXd noise(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Eigen::MatrixXd values(rows, columns);
  Stream stream(seed);
  for (double& value : values.reshaped()) value = stream.normal();
  return values;
}

constexpr Eigen::Index kRows = 272;  // more than one block of the kernel, and not whole blocks

class MixtureKernelsTest : public testing::TestWithParam<int> {};

TEST_P(MixtureKernelsTest, LogDensitiesAreThoseOfTheFactor) {
  const Eigen::Index dim = GetParam();
  const Eigen::MatrixXd x = noise(kRows, dim, 1);
  const Eigen::MatrixXd A = noise(dim, dim, 2).triangularView<Eigen::Lower>();
  const Eigen::VectorXd c = noise(dim, 1, 3);
  std::vector<double> tiles;
  for (Eigen::Index row = 0; row < dim; row += kMixtureTile) {
    for (Eigen::Index j = 0; j < row + kMixtureTile; ++j) {
      for (Eigen::Index i = row; i < row + kMixtureTile; ++i) tiles.push_back(A(i, j));
    }
  }
  const Eigen::VectorXd expected =
      1.5 - 0.5 * ((A * x.transpose()).colwise() - c).colwise().squaredNorm().transpose().array();
  for (const MixtureKernels& kernels : all_kernels()) {
    Eigen::VectorXd values(kRows);
    kernels.log_densities({x.data(), kRows, dim}, {tiles.data(), c.data(), 1.5}, values.data());
    EXPECT_LT((values - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
  }
}

TEST_P(MixtureKernelsTest, MomentsAreThoseOfTheWeightedExamples) {
  const Eigen::Index dim = GetParam();
  const Eigen::MatrixXd x = noise(kRows, dim, 4);
  const Eigen::VectorXd r = noise(kRows, 1, 5).cwiseAbs();
  const Eigen::VectorXd sum = x.transpose() * r;
  const Eigen::MatrixXd product = x.transpose() * r.asDiagonal() * x;
  const Eigen::Index tiles = dim / kMixtureTile;
  for (const MixtureKernels& kernels : all_kernels()) {
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(kMixtureLanes, dim);
    Eigen::MatrixXd products =
        Eigen::MatrixXd::Zero(kMixtureLanes, tiles * (tiles + 1) / 2 * kMixtureTile * kMixtureTile);
    kernels.moments({x.data(), kRows, dim}, r.data(), sums.data(), products.data());
    EXPECT_LT((sums.colwise().sum().transpose() - sum).cwiseAbs().maxCoeff(), 1e-11);
    Eigen::Index entry = 0;
    for (Eigen::Index row = 0; row < dim; row += kMixtureTile) {
      for (Eigen::Index column = 0; column <= row; column += kMixtureTile) {
        for (Eigen::Index i = row; i < row + kMixtureTile; ++i) {
          for (Eigen::Index j = column; j < column + kMixtureTile; ++j, ++entry) {
            EXPECT_NEAR(products.col(entry).sum(), product(i, j), 1e-11);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, MixtureKernelsTest, testing::Values(4, 8, 16, 20));

TEST(MixtureKernels, ResponsibilitiesSumToTheWeightsHoweverFarApart) {
  for (const Eigen::Index K : {1, 2, 5}) {
    Eigen::MatrixXd logs = 3 * noise(kRows, K, 6);
    logs.row(7).array() -= 5000;  // e^x of either is zero
    if (K > 1) logs(8, 1) += 900;
    Eigen::VectorXd weights = noise(kRows, 1, 7).cwiseAbs();
    weights.tail(3).setZero();  // what pads the examples
    Eigen::VectorXd mixture(kRows);
    for (Eigen::Index i = 0; i < kRows; ++i) {
      const double largest = logs.row(i).maxCoeff();
      mixture[i] = largest + std::log((logs.row(i).array() - largest).exp().sum());
    }
    Eigen::MatrixXd expected = (logs.colwise() - mixture).array().exp();
    expected.array().colwise() *= weights.array();
    for (const MixtureKernels& kernels : all_kernels()) {
      Eigen::MatrixXd values = logs;
      const double total = kernels.responsibilities(kRows, K, weights.data(), values.data());
      EXPECT_NEAR(total, mixture.dot(weights), 1e-11 * std::abs(mixture.dot(weights)));
      // The differences of numbers near 5000 from which `expected` is made have lost that much.
      EXPECT_LT((values - expected).cwiseAbs().maxCoeff(), 5000 * 2.3e-16);
    }
  }
}

}  // namespace
}  // namespace epsfree
