#include "epsfree/two_sample.hpp"
#include "base/order_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/interruption.hpp"
#include "base/require.hpp"
#include "diagnose/short_text.hpp"
#include "diagnose/two_sample/sample_pair.hpp"

namespace epsfree {
namespace {

Eigen::MatrixXd squared_distances(const Eigen::MatrixXd& points) {
  const Index n = points.cols();
  Eigen::MatrixXd result(n, n);
  for (Index i = 0; i < n; ++i) {
    check_interruption();
    result.col(i) = (points.colwise() - points.col(i)).colwise().squaredNorm();
  }
  return result;
}

/// The median of the distances of all pairs. There may be hundreds of millions, so they are counted
/// in bins first, and only the bin of the median is sorted out.
double median_distance(const Eigen::MatrixXd& squared) {
  constexpr Index kNumBins = 4096;
  const Index n = squared.cols();
  const double largest = squared.maxCoeff();
  if (!(largest > 0)) return 0;
  const double bins_per_unit = static_cast<double>(kNumBins) / largest;
  const auto bin_of = [bins_per_unit](double value) {
    return std::min(kNumBins - 1, static_cast<Index>(value * bins_per_unit));
  };
  std::vector<Index> counts(kNumBins, 0);
  for (Index i = 0; i < n; ++i) {
    check_interruption();
    for (Index j = 0; j < i; ++j) ++counts[static_cast<std::size_t>(bin_of(squared(j, i)))];
  }
  Index rank = n * (n - 1) / 2 / 2;
  Index middle_bin = 0;
  while (rank >= counts[static_cast<std::size_t>(middle_bin)]) {
    rank -= counts[static_cast<std::size_t>(middle_bin++)];
  }
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    check_interruption();
    for (Index j = 0; j < i; ++j) {
      if (bin_of(squared(j, i)) == middle_bin) values.push_back(squared(j, i));
    }
  }
  return std::sqrt(nth_smallest(values, static_cast<std::size_t>(rank)));
}

/// Unbiased, of a kernel with a zero diagonal whose entries sum to `total`; `second` is one for the
/// samples of the second set and zero for the others.
double discrepancy(const Eigen::MatrixXd& kernel, double total, const Eigen::VectorXd& second) {
  const Eigen::VectorXd first = Eigen::VectorXd::Ones(second.size()) - second;
  const double n = first.sum(), m = second.sum();
  const Eigen::VectorXd to_first = kernel * first;
  const double within_first = first.dot(to_first), across = second.dot(to_first);
  const double within_second = total - within_first - 2 * across;
  return within_first / (n * (n - 1)) + within_second / (m * (m - 1)) - 2 * across / (n * m);
}

/// The squared 2-Wasserstein distance of two sorted sets of numbers: the quantile functions' mean
/// squared difference, over the steps of both.
double squared_wasserstein(const std::vector<double>& a, const std::vector<double>& b) {
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  double sum = 0, at = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double end_a = static_cast<double>(i + 1) / n, end_b = static_cast<double>(j + 1) / m;
    const double end = std::min(end_a, end_b);
    sum += (end - at) * (a[i] - b[j]) * (a[i] - b[j]);
    at = end;
    if (end_a <= end) ++i;
    if (end_b <= end) ++j;
  }
  return sum;
}

}  // namespace

MmdResult mmd(const Eigen::Ref<const Eigen::MatrixXd>& first,
              const Eigen::Ref<const Eigen::MatrixXd>& second, int num_permutations,
              Stream& stream) {
  require(num_permutations >= 0, "mmd: num_permutations", num_permutations, "at least 0");
  const SamplePair pair(first, second, false);
  Eigen::MatrixXd kernel = squared_distances(pair.points());
  MmdResult result;
  result.bandwidth = median_distance(kernel);
  if (!(result.bandwidth > 0)) {
    throw Error(ErrorKind::input, "mmd: more than half of all samples lie at one place");
  }
  for (auto column : kernel.colwise()) {
    check_interruption();
    column = (column / (-2 * result.bandwidth * result.bandwidth)).array().exp();
  }
  kernel.diagonal().setZero();
  Eigen::VectorXd second_set = pair.labels();
  const double total = kernel.sum();
  result.squared = discrepancy(kernel, total, second_set);
  int as_far = 0;
  for (int i = 0; i < num_permutations; ++i) {
    check_interruption();
    stream.shuffle(std::span(second_set.data(), static_cast<std::size_t>(second_set.size())));
    if (discrepancy(kernel, total, second_set) >= result.squared) ++as_far;
  }
  result.p_value = (1.0 + as_far) / (1.0 + num_permutations);
  return result;
}

double sliced_wasserstein(const Eigen::Ref<const Eigen::MatrixXd>& first,
                          const Eigen::Ref<const Eigen::MatrixXd>& second, int num_projections,
                          Stream& stream) {
  require(num_projections >= 1, "sliced_wasserstein: num_projections", num_projections,
          "at least 1");
  const SamplePair pair(first, second, false);
  double sum = 0;
  for (int i = 0; i < num_projections; ++i) {
    check_interruption();
    Eigen::VectorXd direction(first.rows());
    for (double& each : direction) each = stream.normal();
    direction.normalize();
    sum += squared_wasserstein(sorted_values(Eigen::VectorXd(first.transpose() * direction)),
                               sorted_values(Eigen::VectorXd(second.transpose() * direction)));
  }
  return std::sqrt(sum / num_projections);
}

std::vector<Diagnosis> compare_samples(const Eigen::Ref<const Eigen::MatrixXd>& first,
                                       const Eigen::Ref<const Eigen::MatrixXd>& second,
                                       const ComparisonOptions& options) {
  const double accuracy = c2st(first, second, options.c2st);
  // All in standard deviations of the reference, so that no unit counts for more.
  const SamplePair pair(first, second, true);
  const Index n = std::min(options.max_samples, pair.num_first());
  const Index m = std::min(options.max_samples, pair.num_second());
  const Eigen::MatrixXd a = pair.points().leftCols(n);
  const Eigen::MatrixXd b = pair.points().middleCols(pair.num_first(), m);
  Stream permutations(options.c2st.seed, {.purpose = Purpose::two_sample});
  const MmdResult discrepancy_result = mmd(a, b, options.num_permutations, permutations);
  Stream directions(options.c2st.seed, {.purpose = Purpose::two_sample, .round = 1});
  const double distance = sliced_wasserstein(a, b, options.num_projections, directions);

  const std::string advice = "Raise the budget, or look at the marginals for what differs.";
  std::vector<Diagnosis> result;
  result.push_back({.name = "c2st",
                    .quantity = "accuracy",
                    .value = accuracy,
                    .bad = Bad::high,
                    .warn_at = 0.6,
                    .threshold = 0.75,
                    .meaning = "A classifier tells the samples from the reference in " +
                               short_text(100 * accuracy) + "% of cases; 50% is guessing.",
                    .advice = advice,
                    .citation = "Lopez-Paz & Oquab 2017; Lueckmann et al. 2021"});
  result.push_back(
      {.name = "mmd",
       .quantity = "p-value",
       .value = discrepancy_result.p_value,
       .is_p_value = true,
       .meaning = "The probability of so large a maximum mean discrepancy between samples of one "
                  "distribution.",
       .advice = advice,
       .citation = "Gretton et al. 2012",
       .tables = {{"discrepancy",
                   {"squared", "bandwidth"},
                   Eigen::RowVector2d(discrepancy_result.squared, discrepancy_result.bandwidth)}}});
  result.push_back(
      {.name = "sliced-wasserstein",
       .quantity = "distance",
       .value = distance,
       .bad = Bad::high,
       .warn_at = 0.25,
       .threshold = 0.5,
       .meaning = "The samples lie that many standard deviations of the reference away from it, "
                  "in the mean over directions.",
       .advice = advice,
       .citation = "Bonneel et al. 2015"});
  judge_together(result);
  return result;
}

}  // namespace epsfree
