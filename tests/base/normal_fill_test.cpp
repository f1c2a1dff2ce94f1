#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/cpu.hpp"
#include "base/normal_kernel.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

template <class T>
class NormalFill : public testing::Test {};
using NormalScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(NormalFill, NormalScalars);

template <class T>
std::vector<T> draw(std::uint64_t seed, std::size_t n) {
  std::vector<T> values(n);
  Stream(seed).fill_normal(values);
  return values;
}

// Each moment within 5 standard errors. Mutations that fail it: pi for 2 pi (a turn of half the
// angle), the radius without its factor 2.
TYPED_TEST(NormalFill, Moments) {
  const std::size_t n = 400000;
  const std::vector<TypeParam> values = draw<TypeParam>(1, n);
  double sums[4] = {0, 0, 0, 0};
  double neighbours = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = values[i];
    sums[0] += x;
    sums[1] += x * x;
    sums[2] += x * x * x;
    sums[3] += x * x * x * x;
    if (i > 0) neighbours += x * values[i - 1];
  }
  const double count = static_cast<double>(n);
  const double error = 5 / std::sqrt(count);
  EXPECT_NEAR(sums[0] / count, 0, error);
  EXPECT_NEAR(sums[1] / count, 1, error * std::sqrt(2.0));
  EXPECT_NEAR(sums[2] / count, 0, error * std::sqrt(15.0));
  EXPECT_NEAR(sums[3] / count, 3, error * std::sqrt(96.0));
  EXPECT_NEAR(neighbours / count, 0, error);
}

// Kolmogorov-Smirnov at probability 1e-6 of a false alarm: sup|F_n - F| sqrt(n) < 2.69.
TYPED_TEST(NormalFill, DistributionAndTails) {
  const std::size_t n = 200000;
  std::vector<TypeParam> values = draw<TypeParam>(2, n);
  std::sort(values.begin(), values.end());
  const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  const double count = static_cast<double>(n);
  double distance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double f = cdf(values[i]);
    distance = std::max(
        {distance, f - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - f});
  }
  EXPECT_LT(distance * std::sqrt(count), 2.69);
  for (const double x : {2.0, 3.0, 3.5}) {
    for (const double sign : {-1.0, 1.0}) {
      const auto beyond =
          std::count_if(values.begin(), values.end(), [&](double v) { return sign * v > x; });
      const double expected = count * cdf(-x);
      EXPECT_NEAR(static_cast<double>(beyond), expected, 5 * std::sqrt(expected)) << sign * x;
    }
  }
}

TYPED_TEST(NormalFill, AShorterRequestIsAPrefix) {
  const std::vector<TypeParam> whole = draw<TypeParam>(3, 1000);
  for (const std::size_t n : {0, 1, 7, 255, 256, 257, 999}) {
    const std::vector<TypeParam> part = draw<TypeParam>(3, n);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin())) << n;
  }
}

TYPED_TEST(NormalFill, DrawsOneWordFromTheStream) {
  Stream a(4), b(4);
  std::vector<TypeParam> values(5000);
  a.fill_normal(values);
  b.bits64();
  EXPECT_EQ(a.bits64(), b.bits64());
  std::vector<TypeParam> next(5000);
  a.fill_normal(next);
  EXPECT_NE(values, next);
}

// What the kernels should give: Box-Muller in double precision on Random123's own words.
std::vector<double> expected_floats(std::uint64_t key, std::uint32_t block) {
  std::vector<double> values(kNormalBlock);
  const std::size_t lanes = kNormalBlock / 4;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto words = r123::Philox4x32_R<7>()(
        {{block * static_cast<std::uint32_t>(lanes) + static_cast<std::uint32_t>(lane), 0, 0, 0}},
        {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}});
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const double u = (static_cast<double>(words[2 * pair] >> 1) + 0.5) * 0x1p-31;
      const double angle = 2 * std::numbers::pi * words[2 * pair + 1] * 0x1p-32;
      const double radius = std::sqrt(-2 * std::log(u));
      values[lane + 2 * pair * lanes] = radius * std::cos(angle);
      values[lane + (2 * pair + 1) * lanes] = radius * std::sin(angle);
    }
  }
  return values;
}

std::vector<double> expected_doubles(std::uint64_t key, std::uint32_t block) {
  std::vector<double> values(kNormalBlock);
  const std::size_t lanes = kNormalBlock / 2;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto words = r123::Philox4x32_R<7>()(
        {{block * static_cast<std::uint32_t>(lanes) + static_cast<std::uint32_t>(lane), 0, 0, 0}},
        {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}});
    const std::uint64_t a = words[0] | (static_cast<std::uint64_t>(words[1]) << 32);
    const std::uint64_t b = words[2] | (static_cast<std::uint64_t>(words[3]) << 32);
    const double u = (static_cast<double>(a >> 12) + 0.5) * 0x1p-52;
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(b) * 0x1p-64L;
    const double radius = std::sqrt(-2 * std::log(u));
    values[lane] = radius * static_cast<double>(std::cos(angle));
    values[lane + lanes] = radius * static_cast<double>(std::sin(angle));
  }
  return values;
}

class NormalKernel : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > best_isa()) GTEST_SKIP() << "this CPU lacks " << to_string(GetParam());
  }
  template <class T>
  static std::vector<T> run(std::uint64_t key, std::uint64_t block) {
    std::vector<T> values(kNormalBlock);
#if defined(__x86_64__)
    if (GetParam() == Isa::avx512) avx512::normal_block(key, block, values.data());
    if (GetParam() == Isa::avx2) avx2::normal_block(key, block, values.data());
#endif
    if (GetParam() == Isa::baseline) baseline::normal_block(key, block, values.data());
    return values;
  }
};

// Every instruction set gives these within a few units in the last place (the float's u has 24
// bits, which near u = 1 is an error of 1e-7 / radius). Mutation that fails it: six rounds.
TEST_P(NormalKernel, KnownAnswers) {
  for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{0x0123456789abcdef}}) {
    for (const std::uint32_t block : {0u, 5u}) {
      const std::vector<double> floats = expected_floats(key, block);
      const std::vector<float> f = run<float>(key, block);
      const std::vector<double> doubles = expected_doubles(key, block);
      const std::vector<double> d = run<double>(key, block);
      for (std::size_t i = 0; i < kNormalBlock; ++i) {
        EXPECT_NEAR(f[i], floats[i], 2e-6) << i;
        EXPECT_NEAR(d[i], doubles[i], 5e-15) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, NormalKernel, testing::Values(Isa::baseline, Isa::avx2, Isa::avx512),
                         [](const auto& isa) { return std::string(to_string(isa.param)); });

}  // namespace
}  // namespace epsfree
