#include "models/lotka_volterra_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

using Series = Eigen::ArrayXd;

Series to_array(const std::uint16_t* values) {
  return Eigen::Map<const Eigen::Array<std::uint16_t, Eigen::Dynamic, 1>>(values,
                                                                          kLotkaVolterraRecords)
      .cast<double>();
}

double variance(const Series& x) { return (x - x.mean()).square().sum() / 150; }
Series standardised(const Series& x) { return (x - x.mean()) / std::sqrt(variance(x)); }
double correlation(const Series& a, const Series& b, int lag) {
  return (a.head(151 - lag) * b.tail(151 - lag)).sum() / 150;
}

TEST(LotkaVolterraStatistics, AreThePaperFormulasInTheAuthorsOrder) {
  Stream stream(11);
  for (int scale : {2, 100, 10000}) {
    LotkaVolterraSeries series;
    for (int i = 0; i < kLotkaVolterraRecords; ++i) {
      const double wave = std::sin(0.1 * i * i / 151) + 1.5 + stream.uniform();
      series.predators[i] = static_cast<std::uint16_t>(scale / 4 * wave);
      series.prey[i] = static_cast<std::uint16_t>(stream.below(static_cast<std::uint64_t>(scale)));
    }
    const Series x = to_array(series.predators), y = to_array(series.prey);
    if (variance(x) == 0) continue;
    const Series sx = standardised(x), sy = standardised(y);
    LotkaVolterraStatistics expected;
    expected << x.mean(), y.mean(), std::log(variance(x) + 1), std::log(variance(y) + 1),
        correlation(sx, sx, 1), correlation(sx, sx, 2), correlation(sy, sy, 1),
        correlation(sy, sy, 2), correlation(sx, sy, 0);
    const LotkaVolterraStatistics statistics = lotka_volterra_statistics(series);
    for (int k = 0; k < 9; ++k) {
      EXPECT_NEAR(statistics[k], expected[k], 1e-12 * (1 + std::abs(expected[k]))) << k;
    }
  }
}

TEST(LotkaVolterraStatistics, AreFiniteForAPopulationThatNeverChanges) {
  LotkaVolterraSeries series;
  for (int i = 0; i < kLotkaVolterraRecords; ++i) {
    series.predators[i] = 50;
    series.prey[i] = static_cast<std::uint16_t>(i);
  }
  const LotkaVolterraStatistics statistics = lotka_volterra_statistics(series);
  EXPECT_TRUE(statistics.allFinite());
  EXPECT_EQ(statistics[0], 50);
  EXPECT_EQ(statistics[2], 0);
  EXPECT_EQ(statistics[4], 0);
  EXPECT_EQ(statistics[8], 0);
  EXPECT_GT(statistics[6], 0.9);
}

}  // namespace
}  // namespace epsfree
