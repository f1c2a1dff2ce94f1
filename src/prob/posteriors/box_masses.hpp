// The masses of a mixture's components on the bounds of some of its dimensions.
#pragma once

#include <Eigen/Core>
#include <span>

#include "epsfree/truncated_mixture.hpp"

namespace epsfree {

/// The log mass of each component on the box of the dimensions `others`, whatever the rest is.
Eigen::VectorXd log_masses_of(const TruncatedMixture& joint, std::span<const Index> others);

}  // namespace epsfree
