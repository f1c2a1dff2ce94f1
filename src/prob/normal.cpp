#include "prob/normal.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

constexpr double kHalfLogTwoPi = 0.91893853320467274178;
// Beyond this erfc() nears the smallest doubles, and the asymptotic series is exact to rounding.
constexpr double kTail = 30;
// Beyond this the tail is an exponential with rate x, to a relative 1e-8.
constexpr double kFarTail = 1e4;

// By default Boost computes in long double, four times slower, for the last bit.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

/// Integral of weight(t) * exp(-c t - t^2 / 2) over [begin, end] by ten-point Gauss rules.
template <class Weight>
double integrate_offset(double c, double begin, double end, int num_panels, Weight weight) {
  using Rule = boost::math::quadrature::gauss<double, 10>;
  const double width = (end - begin) / num_panels;
  double sum = 0;
  for (int panel = 0; panel < num_panels; ++panel) {
    const double centre = begin + (panel + 0.5) * width;
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      for (const double sign : {-1.0, 1.0}) {
        const double t = centre + sign * 0.5 * width * Rule::abscissa()[i];
        sum += Rule::weights()[i] * weight(t) * std::exp(-t * (c + 0.5 * t));
      }
    }
  }
  return 0.5 * width * sum;
}

}  // namespace

double log_normal_density(double x) { return -0.5 * x * x - kHalfLogTwoPi; }

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double log_normal_cdf(double x) {
  if (x > 0) return std::log1p(-normal_cdf(-x));
  if (x > -kTail) return std::log(normal_cdf(x));
  if (std::isinf(x)) return -kInfinity;
  // Phi(x) = phi(x) / -x * (1 - 1/x^2 + 3/x^4 - 15/x^6 + ...)
  const double r = 1 / (x * x);
  const double series = r * (-1 + r * (3 + r * (-15 + r * (105 + r * (-945 + r * 10395)))));
  return log_normal_density(x) - std::log(-x) + std::log1p(series);
}

double normal_quantile(double probability) {
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability, InDouble());
}

double normal_quantile_of_log(double log_probability) {
  if (log_probability > -600) return normal_quantile(std::exp(log_probability));
  if (std::isinf(log_probability)) return -kInfinity;
  const double first = std::sqrt(-2 * log_probability);
  double x = -std::sqrt(-2 * (log_probability + std::log(first) + kHalfLogTwoPi));
  for (int i = 0; i < 4; ++i) {  // Newton; the hazard phi / Phi is close to -x
    const double log_cdf = log_normal_cdf(x);
    x -= (log_cdf - log_probability) * std::exp(log_cdf - log_normal_density(x));
  }
  return x;
}

double log_normal_interval(double lower, double upper) {
  if (!(lower < upper)) return -kInfinity;
  if (lower > 0) return log_normal_interval(-upper, -lower);
  const double width = upper - lower;
  const double middle = 0.5 * (lower + upper);
  if (width * std::max(1.0, std::abs(middle)) < 0.5) {
    const double integral =
        integrate_offset(middle, -0.5 * width, 0.5 * width, 1, [](double) { return 1.0; });
    return log_normal_density(middle) + std::log(integral);
  }
  if (upper > 0) return std::log1p(-(normal_cdf(lower) + normal_cdf(-upper)));
  const double log_upper = log_normal_cdf(upper);
  return log_upper + std::log1p(-std::exp(log_normal_cdf(lower) - log_upper));
}

double truncated_normal_quantile(double lower, double upper, double u) {
  if (lower > 0) return -truncated_normal_quantile(-upper, -lower, 1 - u);
  const double width = upper - lower;
  double x;
  if (upper < -kFarTail) {
    x = upper + std::log(u + (1 - u) * std::exp(upper * width)) / -upper;
  } else if (width * std::max(1.0, std::abs(upper)) < 1e-8) {
    x = lower + u * width;
  } else if (upper <= 0) {
    const double log_lower = log_normal_cdf(lower);
    const double log_upper = log_normal_cdf(upper);
    // log((1 - u) Phi(lower) + u Phi(upper))
    x = normal_quantile_of_log(log_upper + std::log(u + (1 - u) * std::exp(log_lower - log_upper)));
  } else {
    // Through whichever tail is smaller, so that neither loses digits near one.
    const double below = (1 - u) * normal_cdf(lower) + u * normal_cdf(upper);
    x = below < 0.5 ? normal_quantile(below)
                    : -normal_quantile((1 - u) * normal_cdf(-lower) + u * normal_cdf(-upper));
  }
  return std::clamp(x, lower, upper);
}

TruncatedNormalMoments truncated_normal_moments(double lower, double upper) {
  if (lower == -kInfinity && upper == kInfinity) return {0, 0, 1};
  const double c = std::clamp(0.0, lower, upper);
  // What lies further than this from c is below exp(-50) of the density there.
  const double reach = 100 / (std::sqrt(c * c + 100) + std::abs(c));
  const double begin = std::max(lower - c, -reach);
  const double end = std::min(upper - c, reach);
  constexpr int kPanels = 24;
  const double mass = integrate_offset(c, begin, end, kPanels, [](double) { return 1.0; });
  const double offset = integrate_offset(c, begin, end, kPanels, [](double t) { return t; }) / mass;
  const double variance = integrate_offset(c, begin, end, kPanels,
                                           [&](double t) { return (t - offset) * (t - offset); }) /
                          mass;
  return {log_normal_density(c) + std::log(mass), c + offset, variance};
}

}  // namespace epsfree
