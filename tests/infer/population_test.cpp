#include "infer/abc/population.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/effective_size.hpp"

namespace epsfree {
namespace {

/// Two members far apart, of unequal weight; the observation is the second one's statistic.
Population uneven() {
  Population population;
  population.z = Eigen::RowVector2d(-3, 3);
  population.sample.thetas = population.z;
  population.sample.statistics = Eigen::RowVector2d(-1, 1);
  population.sample.weights = Eigen::Vector2d(0.9, 0.1);
  population.effective_size = effective_size(population.sample.weights);
  return population;
}
const Eigen::VectorXd kObserved = Eigen::VectorXd::Ones(1);

double density_at(const PopulationKernel& kernel, double z) {
  return std::exp(kernel.log_density(Eigen::VectorXd::Constant(1, z)));
}

// Mutation seen to fail: a mixture of equal weights.
TEST(PopulationKernel, IsTheMixtureOfTheWeightedMembers) {
  const auto kernel = PopulationKernel::around(uneven(), false, kObserved);
  ASSERT_TRUE(kernel);
  // The weighted variance of +-3 is 9 * 4 * 0.9 * 0.1.
  const double variance = 2 * 36 * 0.9 * 0.1;
  const auto mixture = [&](double z) {
    return 0.9 * std::exp(-(z + 3) * (z + 3) / (2 * variance)) +
           0.1 * std::exp(-(z - 3) * (z - 3) / (2 * variance));
  };
  for (const double z : {-6.0, -3.0, 0.5, 3.0, 7.0}) {
    EXPECT_NEAR(density_at(*kernel, z) / density_at(*kernel, 0), mixture(z) / mixture(0), 1e-12);
  }
}

/// Draws must be of the density by which they are weighed.
TEST(PopulationKernel, DrawsWhatItsDensitySays) {
  for (const bool adaptive : {false, true}) {
    const auto kernel = PopulationKernel::around(uneven(), adaptive, kObserved);
    ASSERT_TRUE(kernel);
    double mass = 0, right = 0, mean = 0;
    for (double z = -25; z < 25; z += 0.01) {
      const double density = density_at(*kernel, z + 0.005);
      mass += density;
      mean += (z + 0.005) * density;
      if (z > 1 - 0.005) right += density;
    }
    constexpr int kDraws = 20000;
    Stream stream(3);
    double drawn_right = 0, drawn_mean = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double z = kernel->draw(stream)[0];
      drawn_right += z > 1 ? 1.0 / kDraws : 0;
      drawn_mean += z / kDraws;
    }
    const double share = right / mass;
    EXPECT_NEAR(drawn_right, share, 5 * std::sqrt(share * (1 - share) / kDraws)) << adaptive;
    EXPECT_NEAR(drawn_mean, mean / mass, 5 * 5 / std::sqrt(double(kDraws))) << adaptive;
    // Adaptive weights favour the member that is at the observation.
    EXPECT_EQ(density_at(*kernel, 3) > density_at(*kernel, -3), adaptive);
  }
}

// Rounding may leave a tiny pivot where the members do not span the space.
TEST(PopulationKernel, IsNoneWhereMembersLieInASubspace) {
  Stream stream(4);
  for (int repetition = 0; repetition < 20; ++repetition) {
    Population population;
    Eigen::MatrixXd directions(6, 4), shares(4, 30);
    for (double& value : directions.reshaped()) value = stream.normal();
    for (double& value : shares.reshaped()) value = stream.normal();
    population.z = directions * shares;
    population.sample.weights = Eigen::VectorXd::Constant(30, 1.0 / 30);
    EXPECT_FALSE(PopulationKernel::around(population, false, kObserved));
  }
}

TEST(PopulationKernel, IsNoneWhereAllMembersAreAlike) {
  Population population = uneven();
  population.z.setConstant(2);
  EXPECT_FALSE(PopulationKernel::around(population, false, kObserved));
}

TEST(Population, ResampledHasEqualWeightsAndTheSameMean) {
  Population population;
  constexpr Index kSize = 4000;
  population.z = Eigen::RowVectorXd::LinSpaced(kSize, 0, 1);
  population.sample.statistics = population.z;
  population.sample.weights = population.z.transpose();  // of mean 2/3
  population.sample.weights /= population.sample.weights.sum();
  Stream stream(7);
  const Population drawn = population.resampled(stream);
  EXPECT_EQ(drawn.z, drawn.sample.statistics);
  EXPECT_NEAR(drawn.z.mean(), 2.0 / 3, 5 * std::sqrt(1.0 / 18 / kSize));
  EXPECT_NEAR(effective_size(drawn.sample.weights), double(kSize), 1e-6);
}

}  // namespace
}  // namespace epsfree
