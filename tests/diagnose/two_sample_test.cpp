#include "epsfree/two_sample.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

Eigen::MatrixXd normals(Index dim, Index count, std::uint64_t seed) {
  Stream stream(seed);
  Eigen::MatrixXd points(dim, count);
  for (double& value : points.reshaped()) value = stream.normal();
  return points;
}

TEST(C2st, GuessesWhereThereIsNothingToTell) {
  const double accuracy = c2st(normals(2, 500, 1), normals(2, 500, 2));
  EXPECT_NEAR(accuracy, 0.5, 5 * std::sqrt(0.25 / 1000));
}

// Two Gaussians 2 s apart: the best classifier is right in Phi(s) of all cases. Units do not
// matter.
TEST(C2st, IsTheBestClassifiersAccuracy) {
  Eigen::MatrixXd second = normals(2, 600, 4);
  second.row(0).array() += 2;
  const double best = 0.5 * std::erfc(-1 / std::sqrt(2.0));
  const Eigen::MatrixXd first = normals(2, 600, 3);
  EXPECT_NEAR(c2st(first, second), best, 0.04);
  EXPECT_NEAR(c2st(1e5 * first, 1e5 * second), best, 0.04);
}

TEST(C2st, IsTheSameForAnyNumberOfThreads) {
  const Eigen::MatrixXd a = normals(3, 100, 5), b = 1.3 * normals(3, 150, 6);
  const double one = c2st(a, b, {.num_threads = 1});
  EXPECT_EQ(one, c2st(a, b, {.num_threads = 4}));
  EXPECT_NE(one, c2st(a, b, {.seed = 2, .num_threads = 1}));
}

TEST(C2st, RefusesWhatCannotBeCompared) {
  EXPECT_THROW(c2st(normals(2, 50, 1), normals(3, 50, 2)), Error);
  EXPECT_THROW(c2st(normals(2, 50, 1), Eigen::MatrixXd(2, 1)), Error);
  Eigen::MatrixXd bad = normals(2, 50, 1);
  bad(1, 7) = std::nan("");
  EXPECT_THROW(c2st(normals(2, 50, 1), bad), Error);
  EXPECT_THROW(c2st(normals(1, 50, 1), normals(1, 50, 2), {.num_folds = 1}), Error);
}

// In closed form for Gaussians of variance s^2 and a kernel of bandwidth h in one dimension:
// E k(x, y) = h / sqrt(h^2 + 2 s^2) exp(-shift^2 / (2 (h^2 + 2 s^2))).
TEST(Mmd, AgreesWithItsClosedForm) {
  Stream stream(1);
  const Eigen::MatrixXd a = normals(1, 1500, 7);
  const Eigen::MatrixXd b = (normals(1, 1500, 8).array() + 1).matrix();
  const MmdResult result = mmd(a, b, 99, stream);
  const double h2 = result.bandwidth * result.bandwidth;
  const double same = std::sqrt(h2 / (h2 + 2)), across = same * std::exp(-1 / (2 * (h2 + 2)));
  EXPECT_NEAR(result.squared, 2 * (same - across), 0.02);
  EXPECT_DOUBLE_EQ(result.p_value, 0.01);
  // Unbiased, and so around zero for samples of one distribution.
  const MmdResult none = mmd(a.leftCols(400), normals(1, 300, 9), 99, stream);
  EXPECT_NEAR(none.squared, 0, 0.005);
  EXPECT_GT(none.p_value, 0.02);
}

// A shift is seen along a random direction by its projection: shift / sqrt(D) in the root mean
// square. Sets of different sizes have distances too.
TEST(SlicedWasserstein, OfAShift) {
  Stream stream(1);
  Eigen::MatrixXd a(3, 40);
  a = normals(3, 40, 1);
  Eigen::MatrixXd b(3, 80);
  b << a, a;
  EXPECT_NEAR(sliced_wasserstein(a, b, 50, stream), 0, 1e-6);
  b.row(1).array() += 6;
  EXPECT_NEAR(sliced_wasserstein(a, b, 4000, stream), 6 / std::sqrt(3.0), 0.1);
  Eigen::MatrixXd x(1, 2), y(1, 3);
  x << 0, 1;
  y << 0, 0, 3;  // over [0,1/2], [1/2,2/3], [2/3,1]: 0, 1, 4
  EXPECT_NEAR(sliced_wasserstein(x, y, 1, stream), std::sqrt(1.0 / 6 + 4.0 / 3), 1e-12);
}

TEST(CompareSamples, PassesTheSameAndFailsAnother) {
  const ComparisonOptions options = {.num_permutations = 199, .max_samples = 300};
  const Eigen::MatrixXd reference = normals(2, 400, 1);
  EXPECT_EQ(worst(compare_samples(reference, normals(2, 400, 2), options)), Verdict::pass);
  const std::vector<Diagnosis> found =
      compare_samples(reference, (normals(2, 400, 3).array() + 2).matrix(), options);
  ASSERT_EQ(found.size(), 3u);
  for (const Diagnosis& each : found) EXPECT_EQ(each.verdict, Verdict::fail) << each.name;
}

}  // namespace
}  // namespace epsfree
