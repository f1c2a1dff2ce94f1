#include "diagnose/calibration/ranked_truth.hpp"

#include "diagnose/calibration/ranked_samples.hpp"

namespace epsfree {
namespace {

/// Larger is more probable. Samples have no density, but any function of theta and the posterior
/// will do for a rank (Modrak et al. 2023): theirs is that of a Gaussian with their moments.
Eigen::VectorXd log_densities(const Posterior& posterior, const Eigen::MatrixXd& thetas) {
  if (posterior.has_log_prob()) return posterior.log_probs(thetas);
  Eigen::MatrixXd covariance = posterior.covariance();
  const double least = 1e-12 * covariance.trace() + 1e-300;
  covariance.diagonal().array() += least;
  return Gaussian::from_covariance(posterior.mean(), covariance).log_probs(thetas);
}

}  // namespace

void rank_truth(const Posterior& posterior, Index num_samples, const ReferencePoints& reference,
                RankingStreams streams, CalibrationRecord& record) {
  Stream &draws = streams.samples, &ties = streams.ties;
  const RankedSamples samples(posterior, num_samples, draws);
  const Eigen::MatrixXd& points = samples.points();
  Eigen::VectorXi ranks(record.truth.size());
  for (Index d = 0; d < ranks.size(); ++d) {
    ranks[d] = samples.rank(record.truth[d], points.row(d).transpose(), ties);
  }
  // From the highest density on.
  record.density_rank = samples.rank(-log_densities(posterior, record.truth)[0],
                                     -log_densities(posterior, points), ties);

  const Eigen::VectorXd centre = reference.draw(record.observed, streams.reference);
  Eigen::VectorXd distances(points.cols());
  for (Index i = 0; i < points.cols(); ++i) {
    distances[i] = (reference.place(points.col(i)) - centre).squaredNorm();
  }
  record.distance_rank =
      samples.rank((reference.place(record.truth) - centre).squaredNorm(), distances, ties);

  record.mean = samples.mean();
  record.standard_deviation = samples.standard_deviation();
  record.sample = posterior.sample(1, draws);
  record.ranks = ranks;  // last: a record without ranks has no posterior
}

}  // namespace epsfree
