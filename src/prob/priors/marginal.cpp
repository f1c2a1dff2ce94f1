// One-dimensional distributions.
#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <sstream>
#include <string>

#include "epsfree/error.hpp"
#include "epsfree/prior.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/normal.hpp"
#include "prob/priors/family_forms.hpp"
#include "prob/priors/log_uniform.hpp"

namespace epsfree {
namespace {

[[noreturn]] void refuse(Family family, const char* parameter, double value, const char* must) {
  std::ostringstream message;
  message << family_name(family) << ": " << parameter << " = " << value << ", must be " << must;
  throw Error(ErrorKind::input, message.str());
}

void require_finite(Family family, const char* parameter, double value) {
  if (!std::isfinite(value)) refuse(family, parameter, value, "finite");
}

void require_positive(Family family, const char* parameter, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    refuse(family, parameter, value, "positive and finite");
  }
}

void require_ascending(Family family, double low, double high) {
  if (!(low < high)) {
    std::ostringstream message;
    message << family_name(family) << ": low = " << low << " must be less than high = " << high;
    throw Error(ErrorKind::input, message.str());
  }
}

}  // namespace

Marginal::Marginal(Family family, std::vector<double> parameters)
    : family_(family), parameters_(std::move(parameters)) {}

Marginal Marginal::uniform(double low, double high) {
  require_finite(Family::uniform, "low", low);
  require_finite(Family::uniform, "high", high);
  require_ascending(Family::uniform, low, high);
  require_finite(Family::uniform, "high - low", high - low);
  return {Family::uniform, {low, high}};
}

Marginal Marginal::normal(double mean, double std) {
  require_finite(Family::normal, "mean", mean);
  require_positive(Family::normal, "std", std);
  return {Family::normal, {mean, std}};
}

Marginal Marginal::log_uniform(double low, double high) {
  require_positive(Family::log_uniform, "low", low);
  require_positive(Family::log_uniform, "high", high);
  require_ascending(Family::log_uniform, low, high);
  return {Family::log_uniform, {low, high}};
}

Marginal Marginal::log_normal(double log_mean, double log_std) {
  require_finite(Family::log_normal, "log_mean", log_mean);
  require_positive(Family::log_normal, "log_std", log_std);
  return {Family::log_normal, {log_mean, log_std}};
}

Marginal Marginal::exponential(double rate) {
  require_positive(Family::exponential, "rate", rate);
  return {Family::exponential, {rate}};
}

Marginal Marginal::gamma(double shape, double rate) {
  require_positive(Family::gamma, "shape", shape);
  require_positive(Family::gamma, "rate", rate);
  return {Family::gamma, {shape, rate}};
}

Marginal Marginal::beta(double a, double b) {
  require_positive(Family::beta, "a", a);
  require_positive(Family::beta, "b", b);
  return {Family::beta, {a, b}};
}

Marginal Marginal::half_normal(double std) {
  require_positive(Family::half_normal, "std", std);
  return {Family::half_normal, {std}};
}

Marginal Marginal::truncated_normal(double mean, double std, double low, double high) {
  constexpr Family family = Family::truncated_normal;
  require_finite(family, "mean", mean);
  require_positive(family, "std", std);
  require_ascending(family, low, high);
  if (low == kInfinity) refuse(family, "low", low, "less than infinity");
  if (high == -kInfinity) refuse(family, "high", high, "more than minus infinity");
  return {family, {mean, std, low, high}};
}

double Marginal::sample(Stream& stream) const {
  if (family_ == Family::normal || family_ == Family::log_normal ||
      is_quantile_transformed(family_)) {
    const double z = stream.normal();
    return from_coordinate(family_ == Family::normal || family_ == Family::log_normal
                               ? parameters_[0] + parameters_[1] * z
                               : z);
  }
  return quantile(stream.uniform());
}

bool Marginal::contains(double theta) const {
  // Where the density is infinite or zero at an end, the coordinate is infinite: left out.
  const bool open = family_ == Family::log_normal || is_quantile_transformed(family_);
  if (!std::isfinite(theta)) return false;
  return open ? theta > lower() && theta < upper() : theta >= lower() && theta <= upper();
}

double Marginal::log_prob(double theta) const {
  if (!contains(theta)) return -kInfinity;
  const std::vector<double>& p = parameters_;
  switch (family_) {
    case Family::uniform:
      return -std::log(p[1] - p[0]);
    case Family::log_uniform:
      return -std::log(theta) - std::log(log_ratio(p[0], p[1]));
    case Family::log_normal:
      return log_normal_density((std::log(theta) - p[0]) / p[1]) - std::log(p[1]) - std::log(theta);
    case Family::exponential:
      return std::log(p[0]) - p[0] * theta;
    case Family::gamma:
      return p[0] * std::log(p[1]) - boost::math::lgamma(p[0]) + (p[0] - 1) * std::log(theta) -
             p[1] * theta;
    case Family::beta:
      return boost::math::lgamma(p[0] + p[1]) - boost::math::lgamma(p[0]) -
             boost::math::lgamma(p[1]) + (p[0] - 1) * std::log(theta) +
             (p[1] - 1) * std::log1p(-theta);
    default: {
      const NormalForm form = normal_form(family_, p);
      return log_normal_density((theta - form.mean) / form.std) - std::log(form.std) -
             log_normal_interval(form.lower, form.upper);
    }
  }
}

double Marginal::cdf(double theta) const {
  if (std::isnan(theta)) return theta;
  if (theta <= lower()) return 0;
  if (theta >= upper()) return 1;
  const std::vector<double>& p = parameters_;
  switch (family_) {
    case Family::uniform:
      return (theta - p[0]) / (p[1] - p[0]);
    case Family::log_uniform:
      return log_ratio(p[0], theta) / log_ratio(p[0], p[1]);
    case Family::log_normal:
      return normal_cdf((std::log(theta) - p[0]) / p[1]);
    case Family::exponential:
      return -std::expm1(-p[0] * theta);
    case Family::gamma:
    case Family::beta:
      return tail_of(family_, p, theta, Tail::lower);
    default: {
      const NormalForm form = normal_form(family_, p);
      const double z = (theta - form.mean) / form.std;
      return std::exp(log_normal_interval(form.lower, z) -
                      log_normal_interval(form.lower, form.upper));
    }
  }
}

double Marginal::quantile(double probability) const {
  check_probability(probability);
  if (probability == 0) return lower();
  if (probability == 1) return upper();
  const std::vector<double>& p = parameters_;
  switch (family_) {
    case Family::uniform:
      return std::clamp(p[0] + (p[1] - p[0]) * probability, p[0], p[1]);
    case Family::log_uniform:
      return from_coordinate(std::log(p[0]) + probability * log_ratio(p[0], p[1]));
    case Family::log_normal:
      return from_coordinate(p[0] + p[1] * normal_quantile(probability));
    case Family::exponential:
      return -std::log1p(-probability) / p[0];
    case Family::gamma:
    case Family::beta:
      return from_coordinate(normal_quantile(probability));
    default: {
      const NormalForm form = normal_form(family_, p);
      const double z = truncated_normal_quantile(form.lower, form.upper, probability);
      return std::clamp(form.mean + form.std * z, lower(), upper());
    }
  }
}

double Marginal::mean() const {
  const std::vector<double>& p = parameters_;
  switch (family_) {
    case Family::uniform:
      return p[0] + 0.5 * (p[1] - p[0]);
    case Family::log_uniform:
      return log_uniform_mean(p[0], p[1]);
    case Family::log_normal:
      return std::exp(p[0] + 0.5 * p[1] * p[1]);
    case Family::exponential:
      return 1 / p[0];
    case Family::gamma:
      return p[0] / p[1];
    case Family::beta:
      return p[0] / (p[0] + p[1]);
    default: {
      const NormalForm form = normal_form(family_, p);
      return form.mean + form.std * truncated_normal_moments(form.lower, form.upper).mean;
    }
  }
}

double Marginal::variance() const {
  const std::vector<double>& p = parameters_;
  switch (family_) {
    case Family::uniform:
      return (p[1] - p[0]) * (p[1] - p[0]) / 12;
    case Family::log_uniform:
      return log_uniform_variance(p[0], p[1]);
    case Family::log_normal:
      return std::expm1(p[1] * p[1]) * std::exp(2 * p[0] + p[1] * p[1]);
    case Family::exponential:
      return 1 / (p[0] * p[0]);
    case Family::gamma:
      return p[0] / (p[1] * p[1]);
    case Family::beta: {
      const double sum = p[0] + p[1];
      return p[0] / sum * (p[1] / sum) / (sum + 1);
    }
    default: {
      const NormalForm form = normal_form(family_, p);
      return form.std * form.std * truncated_normal_moments(form.lower, form.upper).variance;
    }
  }
}

double Marginal::lower() const {
  switch (family_) {
    case Family::uniform:
    case Family::log_uniform:
      return parameters_[0];
    case Family::normal:
      return -kInfinity;
    case Family::truncated_normal:
      return parameters_[2];
    default:
      return 0;
  }
}

double Marginal::upper() const {
  switch (family_) {
    case Family::uniform:
    case Family::log_uniform:
      return parameters_[1];
    case Family::beta:
      return 1;
    case Family::truncated_normal:
      return parameters_[3];
    default:
      return kInfinity;
  }
}

}  // namespace epsfree
