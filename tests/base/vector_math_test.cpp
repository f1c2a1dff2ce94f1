// Tests src/base/vector_math.hpp and philox_lanes.hpp through tests/base/lane_functions.cpp, for
// every instruction set that this CPU has.
#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/cpu.hpp"
#include "epsfree/stream.hpp"
#include "lane_functions.hpp"

namespace epsfree {
namespace {

template <class T>
struct Functions {
  void (*exp)(const T*, T*, int);
  void (*log)(const T*, T*, int);
  void (*tanh)(const T*, T*, int);
};
struct Philox {
  using Function = void (*)(const uint64_t*, const uint64_t*, const uint64_t*, uint32_t*, int);
  Function seven, ten;
};

class VectorMath : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > best_isa()) GTEST_SKIP() << "this CPU lacks " << to_string(GetParam());
  }
  template <class T>
  static Functions<T> functions() {
#if defined(__x86_64__)
    if (GetParam() == Isa::avx512) {
      return {avx512::exp_array, avx512::log_array, avx512::tanh_array};
    }
    if (GetParam() == Isa::avx2) return {avx2::exp_array, avx2::log_array, avx2::tanh_array};
#endif
    return {baseline::exp_array, baseline::log_array, baseline::tanh_array};
  }
  template <class Turn, class T>
  static void sincos(const Turn* turn, T* s, T* c, int n) {
#if defined(__x86_64__)
    if (GetParam() == Isa::avx512) return avx512::sincos_array(turn, s, c, n);
    if (GetParam() == Isa::avx2) return avx2::sincos_array(turn, s, c, n);
#endif
    baseline::sincos_array(turn, s, c, n);
  }
  static Philox philox() {
#if defined(__x86_64__)
    if (GetParam() == Isa::avx512) return {avx512::philox7_array, avx512::philox10_array};
    if (GetParam() == Isa::avx2) return {avx2::philox7_array, avx2::philox10_array};
#endif
    return {baseline::philox7_array, baseline::philox10_array};
  }
};

// The largest error in units in the last place of the exact value.
template <class T, class Exact>
double worst_ulp(const std::vector<T>& x, const std::vector<T>& y, Exact exact) {
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double value = exact(static_cast<long double>(x[i]));
    const T rounded = std::abs(static_cast<T>(value));
    const long double ulp = std::nextafter(rounded, std::numeric_limits<T>::infinity()) - rounded;
    worst = std::max(worst, static_cast<double>(std::abs(y[i] - value) / ulp));
  }
  return worst;
}

template <class T>
std::vector<T> grid(double low, double high, int n) {
  Stream stream(17);
  std::vector<T> x;
  for (int i = 0; i < n; ++i) x.push_back(static_cast<T>(stream.uniform(low, high)));
  return x;
}

template <class T>
void check_accuracy(const Functions<T>& functions, double exp_range) {
  const int n = 20001;  // odd, so that a remainder loop runs too
  std::vector<T> y(static_cast<std::size_t>(n));
  const auto exp = [](long double v) { return std::exp(v); };
  for (const double range : {0.5, exp_range}) {
    const std::vector<T> x = grid<T>(-range, range, n);
    functions.exp(x.data(), y.data(), n);
    EXPECT_LT(worst_ulp(x, y, exp), 2.0) << "exp up to " << range;
  }
  const auto tanh = [](long double v) { return std::tanh(v); };
  for (const double range : {1e-3, 1.0, 25.0}) {
    const std::vector<T> x = grid<T>(-range, range, n);
    functions.tanh(x.data(), y.data(), n);
    EXPECT_LT(worst_ulp(x, y, tanh), 3.5) << "tanh up to " << range;
  }
  const auto log = [](long double v) { return std::log(v); };
  std::vector<T> x = grid<T>(-exp_range, exp_range, n);
  for (T& v : x) v = std::exp(v);
  functions.log(x.data(), y.data(), n);
  EXPECT_LT(worst_ulp(x, y, log), 2.0) << "log, all magnitudes";
  x = grid<T>(0.5, 2.0, n);
  functions.log(x.data(), y.data(), n);
  EXPECT_LT(worst_ulp(x, y, log), 3.0) << "log around one";
}

TEST_P(VectorMath, FloatFunctionsAreAccurate) { check_accuracy(functions<float>(), 86.5); }
TEST_P(VectorMath, DoubleFunctionsAreAccurate) { check_accuracy(functions<double>(), 707.0); }

template <class T>
void check_ends(const Functions<T>& functions) {
  const T infinity = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::array<T, 5> x = {infinity, -infinity, nan, 0, T(1e4)};
  std::array<T, 5> y;
  functions.exp(x.data(), y.data(), 5);
  EXPECT_EQ(y[0], infinity);
  EXPECT_EQ(y[1], 0);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 1);
  EXPECT_EQ(y[4], infinity);
  functions.tanh(x.data(), y.data(), 5);
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], -1);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 0);
  EXPECT_EQ(y[4], 1);
}

TEST_P(VectorMath, EndsAndNaN) {
  check_ends(functions<float>());
  check_ends(functions<double>());
}

// Mutation that fails it: the sign of the cosine taken from the upper bit alone.
TEST_P(VectorMath, SineAndCosineOfATurn) {
  Stream stream(3);
  const int n = 10000;
  std::vector<uint32_t> turn32;
  std::vector<uint64_t> turn64;
  for (int i = 0; i < n; ++i) {
    // Random angles, and all eighths of a turn with their neighbours.
    const uint64_t eighth = static_cast<uint64_t>(i % 8) << 61;
    const uint64_t bits = i < 64 ? eighth + static_cast<uint64_t>(i / 8 - 4) : stream.bits64();
    turn64.push_back(bits);
    turn32.push_back(i < 64 ? static_cast<uint32_t>(eighth >> 32) + static_cast<uint32_t>(i / 8 - 4)
                            : static_cast<uint32_t>(bits));
  }
  std::vector<float> sf(n), cf(n);
  std::vector<double> sd(n), cd(n);
  sincos(turn32.data(), sf.data(), cf.data(), n);
  sincos(turn64.data(), sd.data(), cd.data(), n);
  for (std::size_t i = 0; i < turn32.size(); ++i) {
    const long double pi2 = 2 * std::numbers::pi_v<long double>;
    const long double angle32 = pi2 * static_cast<long double>(turn32[i]) * 0x1p-32L;
    ASSERT_NEAR(sf[i], static_cast<double>(std::sin(angle32)), 2e-7) << turn32[i];
    ASSERT_NEAR(cf[i], static_cast<double>(std::cos(angle32)), 2e-7) << turn32[i];
    const long double angle64 = pi2 * static_cast<long double>(turn64[i]) * 0x1p-64L;
    ASSERT_NEAR(sd[i], static_cast<double>(std::sin(angle64)), 6e-16) << turn64[i];
    ASSERT_NEAR(cd[i], static_cast<double>(std::cos(angle64)), 6e-16) << turn64[i];
  }
}

template <int kRounds>
void check_philox(Philox::Function function) {
  Stream stream(23);
  const int n = 37;
  std::vector<uint64_t> key, low, high;
  for (int i = 0; i < n; ++i) {
    key.push_back(i == 0 ? 0 : stream.bits64());
    low.push_back(i == 0 ? 0 : stream.bits64());
    high.push_back(i == 0 ? 0 : stream.bits64());
  }
  std::vector<uint32_t> words(4 * n);
  function(key.data(), low.data(), high.data(), words.data(), n);
  using Generator = r123::Philox4x32_R<kRounds>;
  const auto halves = [](uint64_t word) {
    return std::array{static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
  };
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto l = halves(low[i]), h = halves(high[i]), k = halves(key[i]);
    const auto block = Generator()({{l[0], l[1], h[0], h[1]}}, {{k[0], k[1]}});
    for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(words[4 * i + w], block[w]) << i << ' ' << w;
  }
}

TEST_P(VectorMath, PhiloxIsRandom123s) {
  check_philox<7>(philox().seven);
  check_philox<10>(philox().ten);
}

INSTANTIATE_TEST_SUITE_P(Isas, VectorMath, testing::Values(Isa::baseline, Isa::avx2, Isa::avx512),
                         [](const auto& isa) { return std::string(to_string(isa.param)); });

}  // namespace
}  // namespace epsfree
