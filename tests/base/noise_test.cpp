#include "base/noise.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/cpu.hpp"
#include "base/noise_kernel.hpp"

namespace epsfree {
namespace {

std::vector<float> draw(std::uint64_t seed, std::size_t n) {
  std::vector<float> values(n);
  Stream stream(seed);
  fill_noise(stream, values);
  return values;
}

// Each moment within 5 standard errors, and neighbours and the two halves of a pair independent.
// Mutation that fails it: one sign bit for both.
TEST(Noise, Moments) {
  const std::size_t n = kNoiseBlock * 2000;
  const std::vector<float> values = draw(1, n);
  double sums[4] = {0, 0, 0, 0};
  double neighbours = 0, pairs = 0, squared_pairs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = values[i];
    sums[0] += x;
    sums[1] += x * x;
    sums[2] += x * x * x;
    sums[3] += x * x * x * x;
    if (i > 0) neighbours += x * values[i - 1];
    const std::size_t half = kNoiseBlock / 2;
    if (i % kNoiseBlock < half) {
      const double y = values[i + half];
      pairs += x * y;
      squared_pairs += (x * x - 1) * (y * y - 1);
    }
  }
  const double count = static_cast<double>(n);
  const double error = 5 / std::sqrt(count);
  EXPECT_NEAR(sums[0] / count, 0, error);
  EXPECT_NEAR(sums[1] / count, 1, error * std::sqrt(2.0));
  EXPECT_NEAR(sums[2] / count, 0, error * std::sqrt(15.0));
  EXPECT_NEAR(sums[3] / count, 3, error * std::sqrt(96.0));
  EXPECT_NEAR(neighbours / count, 0, error);
  EXPECT_NEAR(2 * pairs / count, 0, error * std::sqrt(2.0));
  EXPECT_NEAR(2 * squared_pairs / count, 0, error * std::sqrt(2.0) * 2);
}

// Kolmogorov-Smirnov at probability 1e-6 of a false alarm: sup|F_n - F| sqrt(n) < 2.69.
TEST(Noise, Distribution) {
  const std::size_t n = 200000;
  std::vector<float> values = draw(2, n);
  std::sort(values.begin(), values.end());
  const double count = static_cast<double>(n);
  double distance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double f = 0.5 * std::erfc(-values[i] / std::numbers::sqrt2);
    distance = std::max(
        {distance, f - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - f});
  }
  EXPECT_LT(distance * std::sqrt(count), 2.69);
  EXPECT_LT(values.back(), 4.86);
  EXPECT_GT(values.back(), 4);
}

TEST(Noise, AShorterRequestIsAPrefix) {
  const std::vector<float> whole = draw(3, 1000);
  for (const std::size_t n : {0, 1, 7, 255, 256, 257, 999}) {
    const std::vector<float> part = draw(3, n);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin())) << n;
  }
}

TEST(Noise, DrawsOneWordFromTheStream) {
  Stream a(4), b(4);
  std::vector<float> values(5000);
  fill_noise(a, values);
  b.bits64();
  EXPECT_EQ(a.bits64(), b.bits64());
  std::vector<double> doubles(300), expected(300);
  fill_noise(a, doubles);
  b.fill_normal(expected);
  EXPECT_EQ(doubles, expected);
}

class NoiseKernel : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > best_isa()) GTEST_SKIP() << "this CPU lacks " << to_string(GetParam());
  }
  static std::vector<float> run(std::uint64_t key, std::uint64_t block) {
    std::vector<float> values(kNoiseBlock);
#if defined(__x86_64__)
    if (GetParam() == Isa::avx512) avx512::noise_block(key, block, values.data());
    if (GetParam() == Isa::avx2) avx2::noise_block(key, block, values.data());
#endif
    if (GetParam() == Isa::baseline) baseline::noise_block(key, block, values.data());
    return values;
  }
};

// In double precision on Random123's own words. The polynomials' largest errors are 1.1e-5 of r^2
// and 1e-5 of the cosine. Mutations that fail it: no swap, the last coefficient wrong in its third
// digit.
TEST_P(NoiseKernel, KnownAnswers) {
  const std::uint64_t key = 0x0123456789abcdef;
  const std::size_t counters = kNoiseBlock / 8, half = kNoiseBlock / 2;
  for (const std::uint32_t block : {0u, 1u, 7u, 1000u}) {
    const std::vector<float> values = run(key, block);
    for (std::size_t i = 0; i < counters; ++i) {
      const auto words = r123::Philox4x32_R<7>()(
          {{block * static_cast<std::uint32_t>(counters) + static_cast<std::uint32_t>(i), 0, 0, 0}},
          {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}});
      for (std::size_t w = 0; w < 4; ++w) {
        const std::uint32_t word = words[w];
        const double r = std::sqrt(-2 * std::log(((word >> 16) + 0.5) * 0x1p-16));
        const double angle = ((word & 0x1fff) + 0.5) * 0x1p-13 * std::numbers::pi / 4;
        double x = r * std::cos(angle), y = r * std::sin(angle);
        if ((word & 0x2000) != 0) std::swap(x, y);
        if ((word & 0x8000) != 0) x = -x;
        if ((word & 0x4000) != 0) y = -y;
        EXPECT_NEAR(values[w * counters + i], x, 2e-5 * (1 + r)) << i;
        EXPECT_NEAR(values[half + w * counters + i], y, 2e-5 * (1 + r)) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, NoiseKernel, testing::Values(Isa::baseline, Isa::avx2, Isa::avx512),
                         [](const auto& isa) { return std::string(to_string(isa.param)); });

}  // namespace
}  // namespace epsfree
