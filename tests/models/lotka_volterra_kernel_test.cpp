#include "models/lotka_volterra_kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>

#include "base/cpu.hpp"
#include "models/lotka_volterra_statistics.hpp"
#include "models/textbook_gillespie.hpp"
#include "models/two_sample.hpp"

namespace epsfree {
namespace {

using Kernel = decltype(&baseline::simulate_lotka_volterra);
using Rates = std::array<double, 4>;

std::vector<Kernel> kernels() {
  std::vector<Kernel> all = {baseline::simulate_lotka_volterra};
#if defined(__x86_64__)
  if (best_isa() >= Isa::avx2) all.push_back(avx2::simulate_lotka_volterra);
  if (best_isa() >= Isa::avx512) all.push_back(avx512::simulate_lotka_volterra);
#endif
  return all;
}

struct Runs {
  std::vector<LotkaVolterraSeries> series;
  std::vector<char> finished;
};

/// In calls of `batch` runs.
Runs simulate(Kernel kernel, const std::vector<Rates>& rates, int batch, std::uint64_t seed = 1) {
  const int count = static_cast<int>(rates.size());
  std::vector<float> flat;
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < count; ++i) {
    for (double rate : rates[i]) flat.push_back(static_cast<float>(rate));
    keys.push_back(Stream(seed, {.index = static_cast<std::uint64_t>(i)}).bits64());
  }
  Runs runs{std::vector<LotkaVolterraSeries>(rates.size()), std::vector<char>(rates.size())};
  const auto finished = std::make_unique<bool[]>(rates.size());
  for (int begin = 0; begin < count; begin += batch) {
    kernel(std::min(batch, count - begin), flat.data() + 4 * begin, keys.data() + begin,
           runs.series.data() + begin, finished.get() + begin);
  }
  std::copy_n(finished.get(), rates.size(), runs.finished.begin());
  return runs;
}

/// Rates drawn from the prior.
std::vector<Rates> prior_rates(int count) {
  Stream stream(5);
  std::vector<Rates> rates(static_cast<std::size_t>(count));
  for (Rates& each : rates) {
    for (double& rate : each) rate = std::exp(stream.uniform(-5, 2));
  }
  return rates;
}

TEST(LotkaVolterraKernel, ARunDependsNeitherOnItsBatchNorOnItsLane) {
  const std::vector<Rates> rates = prior_rates(200);
  for (Kernel kernel : kernels()) {
    const Runs all = simulate(kernel, rates, 200);
    for (int batch : {1, 7, 16, 50}) {
      const Runs other = simulate(kernel, rates, batch);
      EXPECT_EQ(all.finished, other.finished);
      for (std::size_t i = 0; i < rates.size(); ++i) {
        if (!all.finished[i]) continue;
        EXPECT_EQ(std::memcmp(&all.series[i], &other.series[i], sizeof(LotkaVolterraSeries)), 0);
      }
    }
  }
}

TEST(LotkaVolterraKernel, IsStillWhereNothingCanHappen) {
  for (Kernel kernel : kernels()) {
    const Runs runs = simulate(kernel, {{0, 0, 0, 0}, {0, 1e9, 0, 1e9}, {0, 0, 1e29, 0}}, 3);
    EXPECT_TRUE(runs.finished[0]);
    EXPECT_TRUE(runs.finished[1]);
    EXPECT_FALSE(runs.finished[2]);
    for (int i = 0; i < kLotkaVolterraRecords; ++i) {
      EXPECT_EQ(runs.series[0].predators[i], 50);
      EXPECT_EQ(runs.series[0].prey[i], 100);
      // Rates of zero are never chosen, so that no population leaves zero.
      EXPECT_EQ(runs.series[1].predators[i], i == 0 ? 50 : 0);
      EXPECT_LE(runs.series[1].prey[i], 100);
    }
  }
}

TEST(LotkaVolterraKernel, PureDeathHasItsKnownMeanAndVariance) {
  // 50 predators that only die, at rate 0.1 each: binomial(50, exp(-0.1 t)) are left at time t.
  const std::vector<Rates> rates(4000, Rates{0, 0.1, 0, 0});
  for (Kernel kernel : kernels()) {
    const Runs runs = simulate(kernel, rates, 4000);
    for (int record : {1, 25, 50, 150}) {
      const double alive = std::exp(-0.1 * 0.2 * record);
      const double mean = 50 * alive, variance = 50 * alive * (1 - alive);
      double sum = 0, square = 0;
      for (const LotkaVolterraSeries& series : runs.series) {
        sum += series.predators[record] - mean;
        square += std::pow(series.predators[record] - mean, 2);
      }
      EXPECT_NEAR(sum / 4000, 0, 5 * std::sqrt(variance / 4000));
      // The fourth central moment of a binomial is at most 3 variance^2 + variance.
      EXPECT_NEAR(square / 4000, variance,
                  5 * std::sqrt((2 * variance * variance + variance) / 4000));
    }
  }
}

// Fails when reactions 2 and 3 swap their rates, when a step that reaches a recording also reacts
// and when the waiting time and the reaction share their random bits.
TEST(LotkaVolterraKernel, HasTheDistributionOfTheTextbookLoop) {
  const std::vector<Rates> points = {
      {0.01, 0.5, 1.0, 0.01},     // the true parameters: 0.8% too long
      {0.008, 0.6, 0.8, 0.012},   // damped
      {0.0001, 3.0, 0.152, 0.0},  // the prey grows alone: half of the runs too long
      {0.02, 0.1, 0.05, 0.05},    // the prey dies out, the predators slowly
  };
  constexpr int kTextbookRuns = 800;
  constexpr int kRuns = 2000;
  // A false alarm once in a thousand choices of seeds.
  const double level = 1e-3 / static_cast<double>(points.size() * 9 * kernels().size());
  for (std::size_t point = 0; point < points.size(); ++point) {
    std::vector<std::vector<double>> expected(9);
    long textbook_invalid = 0;
    for (int i = 0; i < kTextbookRuns; ++i) {
      Stream stream(
          77, {.round = static_cast<std::uint32_t>(point), .index = static_cast<std::uint64_t>(i)});
      const auto run = textbook_gillespie(points[point], stream);
      if (!run) {
        ++textbook_invalid;
        continue;
      }
      LotkaVolterraSeries series;
      std::copy_n(run->predators.begin(), kLotkaVolterraRecords, series.predators);
      std::copy_n(run->prey.begin(), kLotkaVolterraRecords, series.prey);
      const LotkaVolterraStatistics statistics = lotka_volterra_statistics(series);
      for (int k = 0; k < 9; ++k) expected[k].push_back(statistics[k]);
    }
    for (Kernel kernel : kernels()) {
      const Runs runs = simulate(kernel, std::vector<Rates>(kRuns, points[point]), 128, 3);
      std::vector<std::vector<double>> found(9);
      for (int i = 0; i < kRuns; ++i) {
        if (!runs.finished[i]) continue;
        const LotkaVolterraStatistics statistics = lotka_volterra_statistics(runs.series[i]);
        for (int k = 0; k < 9; ++k) found[k].push_back(statistics[k]);
      }
      const long invalid = kRuns - static_cast<long>(found[0].size());
      EXPECT_LT(std::abs(proportion_z(invalid, kRuns, textbook_invalid, kTextbookRuns)), 5)
          << "point " << point << ": " << invalid << " and " << textbook_invalid << " too long";
      for (int k = 0; k < 9; ++k) {
        EXPECT_GT(kolmogorov_smirnov(found[k], expected[k]), level)
            << "point " << point << ", statistic " << k;
      }
    }
  }
}

}  // namespace
}  // namespace epsfree
