#include "epsfree/stream.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace epsfree {
namespace {

// Published with Random123 (kat_vectors): philox4x64 10, counter and key all zero.
TEST(Stream, KnownAnswerOfTheAllZeroBlock) {
  Stream stream(0, Key{.purpose = Purpose::user});
  EXPECT_EQ(stream.bits64(), 0x16554d9eca36314cULL);
  EXPECT_EQ(stream.bits64(), 0xdb20fe9d672d0fdcULL);
  EXPECT_EQ(stream.bits64(), 0xd7e772cee186176bULL);
  EXPECT_EQ(stream.bits64(), 0x7e68b68aec7ba23bULL);
}

TEST(Stream, SeedKeyAndCounterStandWhereTheyShould) {
  const Key key{.purpose = Purpose::simulation, .replicate = 7, .round = 3, .index = 11};
  Stream stream(0x0123456789abcdefULL, key);
  for (std::uint64_t block = 0; block < 3; ++block) {
    const r123::Philox4x64::ctr_type expected =
        r123::Philox4x64()({{block, 11, (7ULL << 32) | 3, 5}}, {{0x0123456789abcdefULL, 0}});
    for (std::size_t word = 0; word < 4; ++word) EXPECT_EQ(stream.bits64(), expected[word]);
  }
}

TEST(Stream, EveryPartOfTheKeyMatters) {
  const std::vector<Key> keys = {
      {}, {.purpose = Purpose::simulation}, {.replicate = 1}, {.round = 1}, {.index = 1}};
  std::set<std::uint64_t> firsts;
  for (const Key& key : keys) {
    firsts.insert(Stream(1, key).bits64());
    firsts.insert(Stream(2, key).bits64());
  }
  EXPECT_EQ(firsts.size(), 2 * keys.size());
}

TEST(Stream, CopyRepeats) {
  Stream a(5);
  a.normal();
  Stream b = a;
  for (int i = 0; i < 9; ++i) EXPECT_EQ(a.normal(), b.normal());
}

// Mean of n draws within 5 standard errors, so a sound generator fails once in 1.7 million seeds.
// Put in to see it fail: uniform() without the half cell at n = 2^10 cells; normal() with pi for 2
// pi.
void expect_mean(const std::vector<double>& draws, double mean, double standard_deviation) {
  const double n = static_cast<double>(draws.size());
  const double observed = std::accumulate(draws.begin(), draws.end(), 0.0) / n;
  EXPECT_NEAR(observed, mean, 5 * standard_deviation / std::sqrt(n));
}

template <class Draw>
std::vector<double> draw(int count, Draw one) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::generate(values.begin(), values.end(), one);
  return values;
}

TEST(Stream, UniformHasItsMomentsAndStaysInside) {
  Stream stream(11);
  const std::vector<double> u = draw(200000, [&] { return stream.uniform(); });
  EXPECT_GT(*std::min_element(u.begin(), u.end()), 0.0);
  EXPECT_LT(*std::max_element(u.begin(), u.end()), 1.0);
  expect_mean(u, 0.5, std::sqrt(1.0 / 12));
  std::vector<double> squares(u);
  for (double& value : squares) value *= value;
  expect_mean(squares, 1.0 / 3, std::sqrt(4.0 / 45));
}

TEST(Stream, NormalHasItsFirstFourMomentsAndNoSerialCorrelation) {
  Stream stream(12);
  const std::vector<double> z = draw(200000, [&] { return stream.normal(); });
  std::vector<double> second(z), third(z), fourth(z), lagged;
  for (std::size_t i = 0; i < z.size(); ++i) {
    second[i] = z[i] * z[i];
    third[i] = second[i] * z[i];
    fourth[i] = second[i] * second[i];
    if (i > 0) lagged.push_back(z[i] * z[i - 1]);
  }
  expect_mean(z, 0, 1);
  expect_mean(second, 1, std::sqrt(2.0));
  expect_mean(third, 0, std::sqrt(15.0));
  expect_mean(fourth, 3, std::sqrt(96.0));
  expect_mean(lagged, 0, 1);
}

TEST(Stream, ExponentialHasItsMoments) {
  Stream stream(13);
  const std::vector<double> e = draw(200000, [&] { return stream.exponential(); });
  expect_mean(e, 1, 1);
  std::vector<double> squares(e);
  for (double& value : squares) value *= value;
  expect_mean(squares, 2, std::sqrt(20.0));
}

TEST(Stream, BelowIsUnbiasedAlsoForAwkwardCounts) {
  Stream stream(14);
  std::vector<double> counts(7, 0);
  const int n = 140000;
  for (int i = 0; i < n; ++i) counts[stream.below(7)] += 1;
  for (double count : counts) EXPECT_NEAR(count, n / 7.0, 5 * std::sqrt(n * 6.0 / 49));
  EXPECT_EQ(stream.below(1), 0u);
  // Without the rejection, every third value below 3 * 2^62 would come up twice as often. Put in to
  // see it fail: no rejection.
  const std::uint64_t awkward = 3ULL << 62;
  double multiples = 0;
  for (int i = 0; i < 20000; ++i) multiples += stream.below(awkward) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(multiples, 20000 / 3.0, 5 * std::sqrt(20000 * 2.0 / 9));
}

TEST(Stream, ShuffleIsAPermutationWithEveryPlaceEquallyLikely) {
  Stream stream(15);
  std::vector<double> first(4, 0);
  const int n = 40000;
  for (int i = 0; i < n; ++i) {
    std::vector<int> items = {0, 1, 2, 3};
    stream.shuffle(std::span<int>(items));
    first[static_cast<std::size_t>(items[0])] += 1;
    std::sort(items.begin(), items.end());
    ASSERT_EQ(items, (std::vector<int>{0, 1, 2, 3}));
  }
  for (double count : first) EXPECT_NEAR(count, n / 4.0, 5 * std::sqrt(n * 3.0 / 16));
}

TEST(Stream, CanBeginWithAGivenNumber) {
  Stream stream = Stream::beginning_with(42);
  EXPECT_EQ(stream.bits64(), 42u);
  Stream rest(42);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(stream.bits64(), rest.bits64());
}

}  // namespace
}  // namespace epsfree
