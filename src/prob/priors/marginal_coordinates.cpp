// The coordinates in which one-dimensional distributions have a quadratic log density.
#include <algorithm>
#include <cmath>
#include <limits>

#include "epsfree/prior.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/normal.hpp"
#include "prob/priors/family_forms.hpp"
#include "prob/priors/log_uniform.hpp"

namespace epsfree {
namespace {

double tail_inverse(Family family, const std::vector<double>& p, double probability, Tail tail) {
  return family == Family::gamma ? gamma_tail_inverse(p[0], probability, tail) / p[1]
                                 : beta_tail_inverse(p[0], p[1], probability, tail);
}

// The z of theta that double precision still tells from the end of the support.
constexpr double kLargestCoordinate = 37.5;

}  // namespace

double Marginal::to_coordinate(double theta) const {
  if (is_log_transformed(family_)) {
    return std::clamp(std::log(theta), coordinate_lower(), coordinate_upper());
  }
  if (!is_quantile_transformed(family_)) return theta;
  // Through the smaller tail: near one, a probability has no digits left.
  const double below = tail_of(family_, parameters_, theta, Tail::lower);
  const double z = below < 0.5
                       ? normal_quantile(below)
                       : -normal_quantile(tail_of(family_, parameters_, theta, Tail::upper));
  return std::clamp(z, -kLargestCoordinate, kLargestCoordinate);
}

double Marginal::from_coordinate(double z) const {
  if (is_log_transformed(family_)) {
    const double smallest = std::max(lower(), std::numeric_limits<double>::min());
    const double largest = std::min(upper(), std::numeric_limits<double>::max());
    return std::clamp(std::exp(z), smallest, largest);
  }
  if (!is_quantile_transformed(family_)) return z;
  const double bounded = std::clamp(z, -kLargestCoordinate, kLargestCoordinate);
  const double theta = bounded < 0
                           ? tail_inverse(family_, parameters_, normal_cdf(bounded), Tail::lower)
                           : tail_inverse(family_, parameters_, normal_cdf(-bounded), Tail::upper);
  const double largest =
      family_ == Family::beta ? std::nextafter(1.0, 0.0) : std::numeric_limits<double>::max();
  return std::clamp(theta, std::numeric_limits<double>::min(), largest);
}

double Marginal::log_jacobian(double z) const {
  if (is_log_transformed(family_)) return z;
  if (is_quantile_transformed(family_)) {
    return log_normal_density(z) - log_prob(from_coordinate(z));
  }
  return 0;
}

bool Marginal::coordinate_is_identity() const {
  return !is_log_transformed(family_) && !is_quantile_transformed(family_);
}

double Marginal::coordinate_lower() const {
  if (family_ == Family::log_uniform) return std::log(parameters_[0]);
  return coordinate_is_identity() ? lower() : -kInfinity;
}

double Marginal::coordinate_upper() const {
  if (family_ == Family::log_uniform) return std::log(parameters_[1]);
  return coordinate_is_identity() ? upper() : kInfinity;
}

double Marginal::coordinate_precision() const {
  switch (family_) {
    case Family::uniform:
    case Family::log_uniform:
    case Family::exponential:
      return 0;
    case Family::gamma:
    case Family::beta:
      return 1;
    default: {
      const double std = normal_form(family_, parameters_).std;
      return 1 / (std * std);
    }
  }
}

double Marginal::coordinate_shift() const {
  switch (family_) {
    case Family::uniform:
    case Family::log_uniform:
    case Family::gamma:
    case Family::beta:
      return 0;
    case Family::exponential:
      return -parameters_[0];
    default: {
      const NormalForm form = normal_form(family_, parameters_);
      return form.mean / (form.std * form.std);
    }
  }
}

double Marginal::coordinate_mean() const {
  switch (family_) {
    case Family::gamma:
    case Family::beta:
      return 0;
    case Family::log_normal:
      return parameters_[0];
    case Family::log_uniform:
      return 0.5 * (coordinate_lower() + coordinate_upper());
    default:
      return mean();
  }
}

double Marginal::coordinate_std() const {
  switch (family_) {
    case Family::gamma:
    case Family::beta:
      return 1;
    case Family::log_normal:
      return parameters_[1];
    case Family::log_uniform:
      return log_ratio(parameters_[0], parameters_[1]) / std::sqrt(12.0);
    default:
      return std::sqrt(variance());
  }
}

}  // namespace epsfree
