// Simulations as a learnt model sees them: standardised, in single precision.
#pragma once

#include <Eigen/Core>

#include "epsfree/standardiser.hpp"

namespace epsfree {

/// Statistics, one column per point. They are bounded: a statistic may be finite in double
/// precision and not in single.
Eigen::MatrixXf standardised_statistics(const Standardiser& standardiser,
                                        const Eigen::Ref<const Eigen::MatrixXd>& statistics);
/// The prior's coordinates, one column per point.
Eigen::MatrixXf standardised_parameters(const Standardiser& standardiser,
                                        const Eigen::Ref<const Eigen::MatrixXd>& coordinates);

}  // namespace epsfree
