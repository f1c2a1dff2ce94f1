#include "epsfree/posterior.hpp"

#include <cmath>
#include <string>

#include "base/interruption.hpp"
#include "base/numbered_names.hpp"
#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/posteriors/posterior_moments.hpp"
#include "prob/priors/priors.hpp"

namespace epsfree {
namespace {

const Prior& checked(const PriorPtr& prior) {
  if (!prior) throw Error(ErrorKind::input, "Posterior: there is no prior");
  return *prior;
}

}  // namespace

Posterior::Posterior(PriorPtr prior, std::vector<std::string> names)
    : prior_(std::move(prior)), names_(std::move(names)) {
  checked(prior_);
  if (static_cast<Index>(names_.size()) != dim()) {
    throw Error(ErrorKind::input, "Posterior: " + std::to_string(names_.size()) + " names for " +
                                      std::to_string(dim()) + " parameters");
  }
}

Eigen::VectorXd Posterior::log_probs(const Eigen::Ref<const Eigen::MatrixXd>& thetas) const {
  Eigen::VectorXd result(thetas.cols());
  for (Index n = 0; n < thetas.cols(); ++n) {
    check_interruption();
    result(n) = log_prob(thetas.col(n));
  }
  return result;
}

Eigen::VectorXd Posterior::standard_deviation() const {
  return covariance().diagonal().cwiseSqrt();
}

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
  return theta_moments(prior(), coordinates_).mean;
}

Eigen::MatrixXd MixturePosterior::covariance() const {
  if (prior().coordinates_are_identity()) return coordinates_.covariance();
  return theta_moments(prior(), coordinates_).covariance;
}

double MixturePosterior::quantile(Index dim, double probability) const {
  if (prior().coordinates_are_identity()) return coordinates_.quantile(dim, probability);
  if (const auto* independent = dynamic_cast<const IndependentPrior*>(&prior())) {
    // Each dimension's map is monotone, so quantiles go through it.
    const double z = coordinates_.quantile(dim, probability);
    return independent->marginals()[static_cast<std::size_t>(dim)].from_coordinate(z);
  }
  return theta_points(prior(), coordinates_).quantile(dim, probability);
}

SamplesPosterior::SamplesPosterior(PriorPtr prior, std::vector<std::string> names,
                                   WeightedSamples samples)
    : Posterior(std::move(prior), std::move(names)), samples_(std::move(samples)) {
  check_rows(samples_.dim(), dim(), "Posterior: a sample");
  for (Index n = 0; n < samples_.size(); ++n) {
    if (!this->prior().contains(samples_.points().col(n))) {
      throw Error(ErrorKind::input, "Posterior: sample " + std::to_string(n + 1) +
                                        " lies outside the prior's support");
    }
  }
}

Eigen::MatrixXd SamplesPosterior::sample(Index count, Stream& stream) const {
  return samples_.resample(count, stream);
}

double SamplesPosterior::log_prob(const Eigen::Ref<const Eigen::VectorXd>&) const {
  throw Error(ErrorKind::usage,
              "log_prob: this posterior is a set of samples, whose density is not known");
}

Eigen::VectorXd SamplesPosterior::mean() const { return samples_.mean(); }

Eigen::MatrixXd SamplesPosterior::covariance() const { return samples_.covariance(); }

double SamplesPosterior::quantile(Index dim, double probability) const {
  return samples_.quantile(dim, probability);
}

std::vector<std::string> default_names(Index dim) { return numbered_names("theta", dim); }

}  // namespace epsfree
