#include "prob/priors/marginal_factory.hpp"

#include <string>

#include "epsfree/error.hpp"

namespace epsfree {

const std::vector<Family>& all_families() {
  static const std::vector<Family> families = {
      Family::uniform,    Family::normal,      Family::log_uniform,
      Family::log_normal, Family::exponential, Family::gamma,
      Family::beta,       Family::half_normal, Family::truncated_normal};
  return families;
}

Marginal make_marginal(Family family, const std::vector<double>& p) {
  const std::size_t expected = family_parameter_names(family).size();
  if (p.size() != expected) {
    throw Error(ErrorKind::input, family_name(family) + " takes " + std::to_string(expected) +
                                      " parameters, not " + std::to_string(p.size()));
  }
  switch (family) {
    case Family::uniform:
      return Marginal::uniform(p[0], p[1]);
    case Family::normal:
      return Marginal::normal(p[0], p[1]);
    case Family::log_uniform:
      return Marginal::log_uniform(p[0], p[1]);
    case Family::log_normal:
      return Marginal::log_normal(p[0], p[1]);
    case Family::exponential:
      return Marginal::exponential(p[0]);
    case Family::gamma:
      return Marginal::gamma(p[0], p[1]);
    case Family::beta:
      return Marginal::beta(p[0], p[1]);
    case Family::half_normal:
      return Marginal::half_normal(p[0]);
    case Family::truncated_normal:
      break;
  }
  return Marginal::truncated_normal(p[0], p[1], p[2], p[3]);
}

}  // namespace epsfree
