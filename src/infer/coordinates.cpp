#include "infer/coordinates.hpp"

#include <limits>

#include "epsfree/truncated_mixture.hpp"

namespace epsfree {

Eigen::MatrixXd coordinates_of(const Prior& prior, const Eigen::MatrixXd& thetas) {
  if (prior.coordinates_are_identity()) return thetas;
  Eigen::MatrixXd z(thetas.rows(), thetas.cols());
  for (Index i = 0; i < z.cols(); ++i) z.col(i) = prior.to_coordinates(thetas.col(i));
  return z;
}

Eigen::MatrixXd thetas_of(const Prior& prior, const Eigen::MatrixXd& coordinates) {
  if (prior.coordinates_are_identity()) return coordinates;
  Eigen::MatrixXd thetas(coordinates.rows(), coordinates.cols());
  for (Index i = 0; i < thetas.cols(); ++i) {
    thetas.col(i) = prior.from_coordinates(coordinates.col(i));
  }
  return thetas;
}

double log_prior_density(const Prior& prior, const Eigen::VectorXd& z) {
  constexpr double kOutside = -std::numeric_limits<double>::infinity();
  if (!prior.coordinate_support().contains(z)) return kOutside;
  const Eigen::VectorXd theta = prior.from_coordinates(z);
  if (!prior.contains(theta)) return kOutside;
  return prior.log_prob(theta) + prior.log_jacobian(z);
}

Eigen::MatrixXd draw_coordinates(const Prior& prior, const Proposal& proposal, Index count,
                                 Stream& stream, RoundSummary& round) {
  if (proposal.is_prior()) return coordinates_of(prior, prior.sample(count, stream));
  const TruncatedMixture on_support(GaussianMixture(*proposal.gaussian),
                                    prior.coordinate_support());
  round.proposal_mass = on_support.mass().value;
  return on_support.sample(count, stream);
}

}  // namespace epsfree
