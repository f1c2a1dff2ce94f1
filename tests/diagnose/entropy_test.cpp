#include "diagnose/two_sample/entropy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "epsfree/error.hpp"
#include "epsfree/gaussian.hpp"

namespace epsfree {
namespace {

// Of a Gaussian: D/2 log(2 pi e) + log det / 2. With 4000 samples the estimate varies by about
// sqrt(D / 2 N) + ..., below 0.03; a wrong ball, neighbour count or scale is off by 0.1 or more.
TEST(NearestNeighbourEntropy, OfAGaussianWhateverItsScales) {
  for (const Index dim : {1, 2, 4}) {
    Eigen::MatrixXd factor = Eigen::MatrixXd::Identity(dim, dim);
    for (Index d = 0; d < dim; ++d) factor(d, d) = std::pow(10.0, static_cast<double>(d) - 1);
    const Gaussian gaussian = Gaussian::from_precision_factor(Eigen::VectorXd::Ones(dim), factor);
    Stream stream(1, {.index = static_cast<std::uint64_t>(dim)});
    const double exact =
        0.5 * static_cast<double>(dim) * std::log(2 * std::numbers::pi * std::numbers::e) +
        0.5 * gaussian.log_det_covariance();
    EXPECT_NEAR(nearest_neighbour_entropy(WeightedSamples(gaussian.sample(4000, stream))), exact,
                0.06)
        << dim;
  }
}

TEST(NearestNeighbourEntropy, WeightsCountAndRepetitionsDoNot) {
  Stream stream(2);
  // Uniform on (0, 2), weighted down to uniform on (0, 1): entropy log 2 and 0.
  Eigen::MatrixXd points(1, 4000);
  Eigen::VectorXd log_weights(4000);
  for (Index i = 0; i < points.cols(); ++i) {
    points(0, i) = stream.uniform(0, 2);
    log_weights[i] = points(0, i) < 1 ? 0 : -30;
  }
  EXPECT_NEAR(nearest_neighbour_entropy(WeightedSamples(points)), std::log(2), 0.06);
  const WeightedSamples weighted(points, log_weights);
  EXPECT_NEAR(nearest_neighbour_entropy(weighted), 0, 0.08);
  Eigen::MatrixXd twice(1, 8000);
  twice << points, points;
  EXPECT_NEAR(nearest_neighbour_entropy(WeightedSamples(twice)), std::log(2), 0.06);
}

TEST(NearestNeighbourEntropy, NeedsSamplesThatDiffer) {
  EXPECT_THROW(nearest_neighbour_entropy(WeightedSamples(Eigen::MatrixXd::Ones(1, 100))), Error);
  Eigen::MatrixXd few(1, 5);
  few << 1, 2, 3, 4, 5;
  EXPECT_THROW(nearest_neighbour_entropy(WeightedSamples(few)), Error);
}

}  // namespace
}  // namespace epsfree
