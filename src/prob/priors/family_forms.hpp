// What the one-dimensional families have in common, for the files that implement Marginal.
#pragma once

#include <vector>

#include "epsfree/prior.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/tails.hpp"

namespace epsfree {

/// The location and scale of the normal, truncated or not, and its standardised bounds.
struct NormalForm {
  double mean, std, lower, upper;
};

inline NormalForm normal_form(Family family, const std::vector<double>& p) {
  if (family == Family::half_normal) return {0, p[0], 0, kInfinity};
  if (family == Family::truncated_normal) {
    return {p[0], p[1], (p[2] - p[0]) / p[1], (p[3] - p[0]) / p[1]};
  }
  return {p[0], p[1], -kInfinity, kInfinity};
}

inline bool is_quantile_transformed(Family family) {
  return family == Family::gamma || family == Family::beta;
}

inline bool is_log_transformed(Family family) {
  return family == Family::log_uniform || family == Family::log_normal;
}

/// P(theta' < theta), or P(theta' > theta), of gamma and beta.
inline double tail_of(Family family, const std::vector<double>& p, double theta, Tail tail) {
  return family == Family::gamma ? gamma_tail(p[0], p[1] * theta, tail)
                                 : beta_tail(p[0], p[1], theta, tail);
}

}  // namespace epsfree
