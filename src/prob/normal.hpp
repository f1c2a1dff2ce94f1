// The standard normal distribution in one dimension, accurate far out in its tails.
#pragma once

namespace epsfree {

/// log of the density.
double log_normal_density(double x);
/// Phi(x), and its logarithm also where Phi itself underflows.
double normal_cdf(double x);
double log_normal_cdf(double x);
/// Phi^-1(p), also given log p. Minus and plus infinity at p = 0 and 1.
double normal_quantile(double probability);
double normal_quantile_of_log(double log_probability);

/// log(Phi(upper) - Phi(lower)) without cancellation; -inf unless lower < upper.
double log_normal_interval(double lower, double upper);

/// The point of [lower, upper] below which a fraction u in (0, 1) of the interval's mass lies: a
/// draw from the truncated normal if u is uniform. Never outside the interval.
double truncated_normal_quantile(double lower, double upper, double u);

/// What is known of the standard normal restricted to [lower, upper].
struct TruncatedNormalMoments {
  double log_mass;
  double mean;
  double variance;
};
/// By quadrature from the interval's most probable point, which loses nothing to cancellation in
/// the tails or in narrow intervals as the textbook formulas do.
TruncatedNormalMoments truncated_normal_moments(double lower, double upper);

}  // namespace epsfree
