#include "prob/normal.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

namespace epsfree {
namespace {

constexpr double kInfNormal = std::numeric_limits<double>::infinity();

// log Phi from mpmath, 30 digits.
TEST(Normal, LogCdfKnownValues) {
  EXPECT_NEAR(log_normal_cdf(0), std::log(0.5), 1e-15);
  EXPECT_NEAR(log_normal_cdf(-10), -53.2312851505124706, 1e-13);
  EXPECT_NEAR(log_normal_cdf(-40), -804.608442013753788, 1e-11);
  EXPECT_NEAR(log_normal_cdf(10) / -7.61985302416052606e-24, 1, 1e-10);
  EXPECT_EQ(log_normal_cdf(-kInfNormal), -kInfNormal);
}

TEST(Normal, LogCdfIsSmoothWhereTheFormulaChanges) {
  EXPECT_NEAR(log_normal_cdf(-30 + 1e-9), log_normal_cdf(-30 - 1e-9) + 2e-9 * 30.03, 1e-11);
}

TEST(Normal, QuantileInvertsTheCdfAlsoInTheLogDomain) {
  for (const double x : {-200.0, -38.0, -34.6, -30.0, -5.0, -0.3, 0.0, 2.0}) {
    EXPECT_NEAR(normal_quantile_of_log(log_normal_cdf(x)), x, 1e-12 * (1 + std::abs(x)));
  }
  EXPECT_EQ(normal_quantile(0), -kInfNormal);
  EXPECT_EQ(normal_quantile(1), kInfNormal);
}

double interval_by_quadrature(double a, double b) {  // relative to the density at c
  const double c = a > 0 ? a : b < 0 ? b : 0;
  const double integral = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
      [&](double x) { return std::exp(-0.5 * (x - c) * (x + c)); }, a, b, 12, 1e-14);
  return std::log(integral) + log_normal_density(c);
}

TEST(Normal, IntervalMassAgreesWithQuadrature) {
  const double cases[][2] = {{-1, 2},     {0.2, 0.2000001}, {5, 5.5},      {-8, -7.99},
                             {29, 31},    {-41, -40},       {-0.01, 0.3},  {3, 3.4},
                             {-3, -2.84}, {100, 100.1},     {-1e-9, 1e-9}, {-45, -44.999}};
  for (const auto& [a, b] : cases) {
    EXPECT_NEAR(log_normal_interval(a, b), interval_by_quadrature(a, b),
                1e-11 * std::max(1.0, 0.5 * a * a * 1e-2))
        << a << " to " << b;
  }
  EXPECT_EQ(log_normal_interval(2, 2), -kInfNormal);
  EXPECT_EQ(log_normal_interval(3, 2), -kInfNormal);
  EXPECT_EQ(log_normal_interval(-kInfNormal, kInfNormal), 0);
}

TEST(Normal, TruncatedQuantileHasTheRightMassBelowAndStaysInside) {
  const double cases[][2] = {{-1, 2},          {5, 6},
                             {5, kInfNormal},  {-kInfNormal, -35},
                             {30, 30.001},     {-kInfNormal, kInfNormal},
                             {200, 201},       {-1e-10, 1e-10},
                             {1e3, kInfNormal}};
  for (const auto& [a, b] : cases) {
    double last = a;
    for (const double u : {1e-12, 0.01, 0.3, 0.5, 0.9, 0.999}) {
      const double x = truncated_normal_quantile(a, b, u);
      EXPECT_GE(x, last);
      EXPECT_LE(x, b);
      last = x;
      if (std::isfinite(b - a) && b - a < 1e-8) continue;
      const double below = std::exp(log_normal_interval(a, x) - log_normal_interval(a, b));
      EXPECT_NEAR(below, u, 1e-7) << a << " to " << b;
    }
  }
  // The exponential limit, where even logarithms of probabilities have no digits left.
  const double far = truncated_normal_quantile(1e9, kInfNormal, 0.5);
  EXPECT_GE(far, 1e9);
  EXPECT_NEAR((truncated_normal_quantile(2e4, kInfNormal, 0.5) - 2e4) * 2e4, std::log(2.0), 1e-6);
}

TEST(Normal, TruncatedMomentsHaveTheTextbookValues) {
  // Mean (phi(a) - phi(b)) / Z, variance 1 + (a phi(a) - b phi(b)) / Z - mean^2.
  const double cases[][2] = {{-1, 2}, {0, kInfNormal}, {1, 3}, {-kInfNormal, 0.5},
                             {-9, 9}, {4, kInfNormal}};
  for (const auto& [a, b] : cases) {
    const TruncatedNormalMoments moments = truncated_normal_moments(a, b);
    const double Z = normal_cdf(b) - normal_cdf(a);
    const double pa = std::exp(log_normal_density(a)), pb = std::exp(log_normal_density(b));
    const double mean = (pa - pb) / Z;
    const double edge = (std::isfinite(a) ? a * pa : 0) - (std::isfinite(b) ? b * pb : 0);
    EXPECT_NEAR(moments.log_mass, std::log(Z), 1e-10);
    EXPECT_NEAR(moments.mean, mean, 1e-10);
    EXPECT_NEAR(moments.variance, 1 + edge / Z - mean * mean, 1e-9);
  }
  // Far out: an exponential of rate a; narrow: a uniform.
  const TruncatedNormalMoments tail = truncated_normal_moments(1e4, kInfNormal);
  EXPECT_NEAR((tail.mean - 1e4) * 1e4, 1, 1e-6);
  EXPECT_NEAR(tail.variance * 1e8, 1, 1e-6);
  const TruncatedNormalMoments narrow = truncated_normal_moments(2, 2 + 1e-6);
  EXPECT_NEAR(narrow.variance / (1e-12 / 12), 1, 1e-6);
}

}  // namespace
}  // namespace epsfree
