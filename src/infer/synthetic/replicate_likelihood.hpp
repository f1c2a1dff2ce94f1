// The density of the observation that replicates of one parameter imply.
#pragma once

#include <Eigen/Core>

namespace epsfree {

/// Log densities of the observation, which is at zero, estimated from valid replicates at one
/// parameter (one column each), as if statistics were Gaussian.
struct ReplicateLikelihood {
  /// With the replicates' mean and covariance (Wood 2010), the correlations of the latter shrunk
  /// towards zero as far as they are noise (Schäfer & Strimmer 2005). -inf below two replicates.
  double plug_in;
  /// The estimate whose mean is the Gaussian density itself (Ghurye & Olkin 1969; Price et al.
  /// 2018), so that chains have the exact target whatever the number of replicates (Andrieu &
  /// Roberts 2009). -inf where the observation is far outside the replicates; plug_in where there
  /// are not more than statistics + 3 of them.
  double unbiased;
};

/// A statistic's variance between replicates, in units of its squared typical distance from the
/// observation (StatisticsMap): a small one instead of none where all replicates are the same.
double replicate_variance(double variance);

/// Statistics are in units of their typical distances.
ReplicateLikelihood replicate_likelihood(const Eigen::Ref<const Eigen::MatrixXd>& replicates);

}  // namespace epsfree
