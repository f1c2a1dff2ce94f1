// A Gaussian mixture in the prior's coordinates, cut off at its support.
#include <string>

#include "base/interruption.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/posteriors/box_masses.hpp"
#include "prob/priors/inside.hpp"

namespace epsfree {

MixturePosterior::MixturePosterior(PriorPtr prior, std::vector<std::string> names,
                                   GaussianMixture mixture)
    : Posterior(prior, std::move(names)),
      coordinates_(std::move(mixture), prior->coordinate_support()) {}

Eigen::MatrixXd MixturePosterior::sample(Index count, Stream& stream) const {
  Eigen::MatrixXd points = coordinates_.sample_without_masses(count, stream);
  if (prior().coordinates_are_identity()) return points;
  for (Index n = 0; n < count; ++n) {
    check_interruption();
    points.col(n) = prior().from_coordinates(points.col(n));
  }
  return points;
}

double MixturePosterior::log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  check_rows(theta.size(), dim(), "Posterior: theta");
  if (!prior().contains(theta)) return -kInfinity;
  const Eigen::VectorXd z = prior().to_coordinates(theta);
  return coordinates_.log_prob(z) - prior().log_jacobian(z);
}

Eigen::VectorXd MixturePosterior::mean() const {
  if (prior().coordinates_are_identity()) return coordinates_.mean();
  return prior().theta_moments(coordinates_).mean;
}

Eigen::MatrixXd MixturePosterior::covariance() const {
  if (prior().coordinates_are_identity()) return coordinates_.covariance();
  return prior().theta_moments(coordinates_).covariance;
}

double MixturePosterior::quantile(Index dim, double probability) const {
  if (prior().coordinates_are_identity()) return coordinates_.quantile(dim, probability);
  return prior().theta_quantile(coordinates_, dim, probability);
}

PosteriorPtr MixturePosterior::marginal_of(std::span<const Index> dims) const {
  if (prior().coordinates_are_separate()) {
    const std::vector<Index> others = other_dimensions(dims, dim());
    const Eigen::VectorXd masses = log_masses_of(coordinates_, others);
    if ((masses.array() >= -kNothingCutOff).all()) {
      return std::make_shared<MixturePosterior>(prior().marginal(dims), names_of(dims),
                                                coordinates_.mixture().marginal(dims));
    }
  }
  // A copy shares what was computed of the original.
  return std::make_shared<MarginalPosterior>(std::make_shared<MixturePosterior>(*this),
                                             std::vector<Index>(dims.begin(), dims.end()));
}

PosteriorPtr MixturePosterior::conditional_on(std::span<const Index> dims,
                                              const Eigen::Ref<const Eigen::VectorXd>& values,
                                              std::span<const Index> others) const {
  if (!prior().coordinates_are_separate()) {
    return Posterior::conditional_on(dims, values, others);
  }
  const PriorPtr of_given = prior().marginal(dims);
  if (!of_given->contains(values)) {
    throw Error(ErrorKind::input, "conditional: the given values lie outside the prior's support");
  }
  return std::make_shared<MixturePosterior>(
      prior().conditional(dims, values), names_of(others),
      coordinates_.mixture().conditional(dims, of_given->to_coordinates(values)));
}

}  // namespace epsfree
