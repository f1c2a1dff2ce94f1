// The root of a monotone function between two points.
#pragma once

#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>

namespace epsfree {

/// Where the increasing function `f` crosses zero in [low, high]; an end of the interval where it
/// does not.
template <class Function>
double bracketed_root(const Function& f, double low, double high) {
  const double at_low = f(low);
  const double at_high = f(high);
  if (!(at_low < 0)) return low;
  if (!(at_high > 0)) return high;
  std::uintmax_t iterations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      f, low, high, at_low, at_high, boost::math::tools::eps_tolerance<double>(52), iterations);
  return 0.5 * (bracket.first + bracket.second);
}

}  // namespace epsfree
