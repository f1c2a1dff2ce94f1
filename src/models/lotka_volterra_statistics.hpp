// The nine statistics of a Lotka-Volterra run (appendix F).
#pragma once

#include <Eigen/Core>

#include "models/lotka_volterra_kernel.hpp"

namespace epsfree {

using LotkaVolterraStatistics = Eigen::Matrix<double, 9, 1>;

/// Mean of predators and prey, log(variance + 1) of each, autocorrelation of the predators at lags
/// 1 and 2, of the prey, and cross-correlation; not normalised. Variances and correlations divide
/// by N - 1, as the authors' code does, whatever the lag. A population that never changes has
/// correlations of zero (the authors' code would divide zero by zero).
LotkaVolterraStatistics lotka_volterra_statistics(const LotkaVolterraSeries& series);

}  // namespace epsfree
