// Calibration from arrays of pairs and samples.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "epsfree/calibration.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

struct Case {
  Eigen::MatrixXd truths, observed;
  std::vector<Eigen::MatrixXd> samples;
};

/// theta ~ N(0, 1) and x | theta ~ N(theta, 1), so that theta | x ~ N(x / 2, 1 / 2): the samples'
/// deviation is `width` times as large.
Case conjugate(int count, double width, std::uint64_t seed) {
  Stream stream(seed);
  Case result{Eigen::MatrixXd(2, count), Eigen::MatrixXd(2, count), {}};
  for (int i = 0; i < count; ++i) {
    for (Index d = 0; d < 2; ++d) {
      result.truths(d, i) = stream.normal();
      result.observed(d, i) = result.truths(d, i) + stream.normal();
    }
    Eigen::MatrixXd draws(2, 199);
    for (double& each : draws.reshaped()) each = width * std::sqrt(0.5) * stream.normal();
    result.samples.emplace_back(draws.colwise() + 0.5 * result.observed.col(i));
  }
  return result;
}

Verdict verdict_of(const Case& given) {
  return worst(diagnose(calibrate(given.truths, given.observed, given.samples)));
}

// Levels are shared by all tests: a right answer fails in one seed of a hundred.
TEST(CalibratedPairs, RightSamplesPassAndWrongOnesFail) {
  EXPECT_NE(verdict_of(conjugate(300, 1, 1)), Verdict::fail);
  EXPECT_EQ(verdict_of(conjugate(300, 0.5, 1)), Verdict::fail);
  EXPECT_EQ(verdict_of(conjugate(300, 2, 1)), Verdict::fail);
}

TEST(CalibratedPairs, RanksCountTheSamplesBelowTheTruth) {
  const Case given = conjugate(20, 1, 2);
  const Calibration calibration =
      calibrate(given.truths, given.observed, given.samples, {"a", "b"});
  ASSERT_EQ(calibration.ranks().cols(), 20);
  for (Index i = 0; i < 20; ++i) {
    const auto& points = given.samples[static_cast<std::size_t>(i)];
    for (Index d = 0; d < 2; ++d) {
      const auto below = (points.row(d).array() < given.truths(d, i)).count();
      EXPECT_EQ(calibration.ranks()(d, i), below);
    }
  }
}

TEST(CalibratedPairs, SizesThatDisagreeAreRefused) {
  Case given = conjugate(20, 1, 3);
  given.samples.pop_back();
  EXPECT_THROW(calibrate(given.truths, given.observed, given.samples), Error);
  given = conjugate(20, 1, 3);
  given.samples[4] = Eigen::MatrixXd::Zero(2, 10);
  EXPECT_THROW(calibrate(given.truths, given.observed, given.samples), Error);
}

}  // namespace
}  // namespace epsfree
