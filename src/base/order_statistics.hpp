// Medians and quantiles of samples. None of them takes an empty sample.
//
// A sample has more than one definition of a quantile, and answers depend on which one is used. So
// each has a name here, and callers keep theirs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace epsfree {

/// In ascending order.
template <class Values>
std::vector<double> sorted_values(const Values& values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// The value that `rank` others come before, from 0. Rearranges the values.
double nth_smallest(std::vector<double>& values, std::size_t rank);

/// The middle value, or the mean of the two in the middle.
double median(std::vector<double> values);
double median_of_sorted(const std::vector<double>& sorted);

/// The middle value, or the larger of the two in the middle: always one of the values.
double upper_median(std::vector<double> values);

/// Linear between the values, of which the smallest is at 0 and the largest at 1.
double interpolated_quantile(const std::vector<double>& sorted, double probability);

/// The value at or next below that place, and the value nearest to it. Both rearrange the values.
double lower_quantile(std::vector<double>& values, double probability);
double nearest_quantile(std::vector<double>& values, double probability);

}  // namespace epsfree
