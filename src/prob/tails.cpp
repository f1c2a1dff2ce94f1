#include "prob/tails.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "prob/normal.hpp"

namespace epsfree {
namespace {

namespace policies = boost::math::policies;
// Results too small or too large for a double are 0 and infinity here, not exceptions.
using Quiet = policies::policy<policies::overflow_error<policies::ignore_error>,
                               policies::underflow_error<policies::ignore_error>,
                               policies::denorm_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>,
                               policies::promote_double<false>>;

double log_gamma(double x) { return boost::math::lgamma(x, Quiet()); }

/// The root t in [low, high] of log(probability(e^t)) = log_target, for a probability that rises
/// (sign 1) or falls (sign -1) with t. Newton's method where it stays in the bracket and gains,
/// else bisection; at most 200 steps.
template <class Probability, class LogDensity>
double solve_log(double log_target, double sign, double guess, double low, double high,
                 Probability probability, LogDensity log_density) {
  double t = std::clamp(guess, low, high);
  if (!(t > low && t < high)) t = 0.5 * (low + high);
  double last_step = high - low;
  for (int i = 0; i < 200; ++i) {
    const double x = std::exp(t);
    const double log_value = std::log(probability(x));
    const double excess = sign * (log_value - log_target);
    if (excess == 0) return x;
    (excess > 0 ? high : low) = t;
    // d log P / dt = x p(x) / P
    const double slope = std::exp(t + log_density(x) - log_value);
    double next = t - excess / slope;
    const bool gains = std::abs(next - t) < 0.5 * std::abs(last_step) || i < 3;
    if (!(next > low && next < high) || !gains) next = 0.5 * (low + high);
    last_step = next - t;
    t = next;
    if (std::abs(last_step) <= 4e-16 * std::max(1.0, std::abs(t))) break;
  }
  return std::exp(t);
}

const double kLogSmallest = std::log(std::numeric_limits<double>::min());
const double kLogLargest = std::log(std::numeric_limits<double>::max());

}  // namespace

double gamma_tail(double shape, double x, Tail tail) {
  return tail == Tail::upper ? boost::math::gamma_q(shape, x, Quiet())
                             : boost::math::gamma_p(shape, x, Quiet());
}

double beta_tail(double a, double b, double x, Tail tail) {
  return tail == Tail::upper ? boost::math::ibetac(a, b, x, Quiet())
                             : boost::math::ibeta(a, b, x, Quiet());
}

double gamma_tail_inverse(double shape, double probability, Tail tail) {
  const double sign = tail == Tail::upper ? -1 : 1;
  const double log_target = std::log(probability);
  // Wilson & Hilferty (1931) where it applies, else the leading power of x.
  const double z = sign * normal_quantile(probability);
  const double cube_root = 1 - 1 / (9 * shape) + z / (3 * std::sqrt(shape));
  const double log_lower = tail == Tail::upper ? std::log1p(-probability) : log_target;
  const double guess = cube_root > 0.3 ? std::log(shape) + 3 * std::log(cube_root)
                                       : (log_lower + log_gamma(shape + 1)) / shape;
  const double log_normaliser = log_gamma(shape);
  return solve_log(
      log_target, sign, guess, kLogSmallest, kLogLargest,
      [&](double x) { return gamma_tail(shape, x, tail); },
      [&](double x) { return (shape - 1) * std::log(x) - x - log_normaliser; });
}

double beta_tail_inverse(double a, double b, double probability, Tail tail) {
  if (tail == Tail::upper) return 1 - beta_tail_inverse(b, a, probability, Tail::lower);
  const double log_target = std::log(probability);
  const double log_normaliser = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
  const double guess = std::min((log_target + std::log(a) + log_normaliser) / a, -1e-3);
  return solve_log(
      log_target, 1, guess, kLogSmallest, 0.0,
      [&](double x) { return beta_tail(a, b, std::min(x, 1.0), Tail::lower); },
      [&](double x) { return (a - 1) * std::log(x) + (b - 1) * std::log1p(-x) - log_normaliser; });
}

}  // namespace epsfree
