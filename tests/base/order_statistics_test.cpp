#include "base/order_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epsfree {
namespace {

using Sample = std::vector<double>;

TEST(OrderStatistics, AMedianIsTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 9, 2}), 3);
  EXPECT_EQ(median_of_sorted({1, 2, 4, 9}), 3);
  // In all definitions infinite values are larger than any other.
  EXPECT_EQ(median({INFINITY, 1, 2}), 2);
}

TEST(OrderStatistics, AnUpperMedianIsOneOfTheValues) {
  EXPECT_EQ(upper_median({7}), 7);
  EXPECT_EQ(upper_median({9, 1, 2}), 2);
  EXPECT_EQ(upper_median({4, 1, 9, 2}), 4);
}

TEST(OrderStatistics, QuantilesDifferWhereThePlaceIsBetweenValues) {
  const Sample sorted = {0, 10, 20, 30, 40};
  Sample mixed = {30, 0, 40, 20, 10};
  for (const double place : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    EXPECT_EQ(interpolated_quantile(sorted, place), 40 * place);
    EXPECT_EQ(lower_quantile(mixed, place), 40 * place);
    EXPECT_EQ(nearest_quantile(mixed, place), 40 * place);
  }
  EXPECT_DOUBLE_EQ(interpolated_quantile(sorted, 0.45), 18);
  EXPECT_EQ(lower_quantile(mixed, 0.45), 10);
  EXPECT_EQ(nearest_quantile(mixed, 0.45), 20);
  EXPECT_EQ(interpolated_quantile({5}, 0.3), 5);
}

TEST(OrderStatistics, RanksBeginAtZero) {
  Sample values = {3, 1, 2, 1};
  EXPECT_EQ(nth_smallest(values, 0), 1);
  EXPECT_EQ(nth_smallest(values, 1), 1);
  EXPECT_EQ(nth_smallest(values, 3), 3);
  EXPECT_EQ(sorted_values(values), (Sample{1, 1, 2, 3}));
}

}  // namespace
}  // namespace epsfree
