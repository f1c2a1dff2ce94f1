// A likelihood whose mean and variances are emulated by Gaussian processes.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "infer/statistics_map.hpp"
#include "prob/regression/gaussian_process.hpp"

namespace epsfree {

/// log N(x_o | m(z), S(z)): each statistic's mean and log variance are emulated from replicates at
/// the design's parameters, with the errors that these are known to have; correlations of the
/// statistics are the same everywhere (Meeds & Welling 2014 have none).
class EmulatedLikelihood {
 public:
  /// The observation is at zero of `statistics`; z is measured in units of `frame`, the posterior
  /// as far as it is known.
  EmulatedLikelihood(StatisticsMap statistics, const Gaussian& frame);

  /// Takes valid replicates at z into the design, raw statistics in columns. Says whether they were
  /// enough to be used: three.
  bool add(const Eigen::Ref<const Eigen::VectorXd>& z,
           const Eigen::Ref<const Eigen::MatrixXd>& replicates);
  Index num_points() const { return points_.cols(); }
  /// Makes the emulators of all that was added, with their shapes found anew or kept.
  void learn(bool new_shapes);

  /// With the emulators' own uncertainty added to S: what is not known is not sharp.
  double operator()(const Eigen::Ref<const Eigen::VectorXd>& z) const;
  /// How uncertain the emulators are at z, in units of the statistics' own scatter.
  double uncertainty(const Eigen::Ref<const Eigen::VectorXd>& z) const;
  /// The probability that a Metropolis decision between z and `proposed` is wrong: the mean
  /// distance of the acceptance probability from its median under the emulators' uncertainty. The
  /// log ratio of all else (prior, validity) is given.
  double decision_error(const Eigen::Ref<const Eigen::VectorXd>& z,
                        const Eigen::Ref<const Eigen::VectorXd>& proposed, double log_ratio,
                        Stream& stream) const;

 private:
  Eigen::MatrixXd to_frame(const Eigen::Ref<const Eigen::MatrixXd>& z) const;
  double log_density(const Eigen::VectorXd& mean, const Eigen::VectorXd& log_variances,
                     const Eigen::VectorXd& extra_variances) const;

  StatisticsMap statistics_;
  Eigen::VectorXd centre_;
  Eigen::MatrixXd whitener_;
  Eigen::MatrixXd points_;                 // in the frame
  Eigen::MatrixXd means_, log_variances_;  // of the replicates, one column per point
  std::vector<double> counts_;             // of replicates
  Eigen::MatrixXd products_;               // of standardised residuals, summed
  Eigen::MatrixXd correlations_;
  std::vector<GaussianProcess> mean_emulators_, variance_emulators_;
};

}  // namespace epsfree
