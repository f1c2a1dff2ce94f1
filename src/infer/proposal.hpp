// What the parameters of simulations are drawn from.
#pragma once

#include <optional>

#include "epsfree/gaussian.hpp"

namespace epsfree {

/// p~(theta): the prior, or a Gaussian in the prior's coordinates restricted to its support.
struct Proposal {
  std::optional<Gaussian> gaussian;  ///< none: the prior
  bool is_prior() const { return !gaussian.has_value(); }
};

}  // namespace epsfree
