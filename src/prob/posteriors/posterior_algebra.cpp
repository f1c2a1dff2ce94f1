#include "epsfree/posterior_algebra.hpp"
#include "base/dense_solvers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/mixtures/box_gaussian.hpp"
#include "prob/normal.hpp"
#include "prob/priors/inside.hpp"
#include "prob/priors/priors.hpp"

namespace epsfree {
namespace {

// A density is asked for at thousands of points, and looked at.
constexpr Index kFewPoints = 8;
constexpr double kDensityError = 1e-3;
// A share of the whole that may be missing from it.
constexpr double kNothingLost = 1e-6;
constexpr double kNegligible = -12;  // as a logarithm

Eigen::VectorXd pick(const Eigen::VectorXd& values, std::span<const Index> dims) {
  Eigen::VectorXd result(static_cast<Index>(dims.size()));
  for (Index i = 0; i < result.size(); ++i) result(i) = values(dims[static_cast<std::size_t>(i)]);
  return result;
}

std::vector<std::string> pick(const std::vector<std::string>& names, std::span<const Index> dims) {
  std::vector<std::string> result;
  for (const Index dim : dims) result.push_back(names[static_cast<std::size_t>(dim)]);
  return result;
}

void check_some(std::span<const Index> dims, const char* what) {
  if (dims.empty()) {
    throw Error(ErrorKind::input, std::string(what) + ": expected at least one parameter");
  }
}

/// Of each component: the log mass on the box of the dimensions `others`, whatever the rest is.
Eigen::VectorXd log_masses_of(const TruncatedMixture& joint, std::span<const Index> others) {
  const GaussianMixture& mixture = joint.mixture();
  Eigen::VectorXd result = Eigen::VectorXd::Zero(mixture.num_components());
  if (others.empty() || joint.support().is_everywhere()) return result;
  const Eigen::VectorXd lower = pick(joint.support().lower(), others);
  const Eigen::VectorXd upper = pick(joint.support().upper(), others);
  for (Index k = 0; k < result.size(); ++k) {
    result(k) = BoxGaussian(mixture.component(k).marginal(others), lower, upper).log_mass().value;
  }
  return result;
}

/// Whether coordinate i belongs to parameter i alone and the support is a box of them.
bool is_separable(const Prior& prior) {
  return dynamic_cast<const IndependentPrior*>(&prior) != nullptr ||
         dynamic_cast<const GaussianPrior*>(&prior) != nullptr;
}

}  // namespace

MarginalPosterior::MarginalPosterior(std::shared_ptr<const MixturePosterior> joint,
                                     std::vector<Index> dims)
    : Posterior(marginal_prior(joint->prior_ptr(), dims), pick(joint->names(), dims)),
      joint_(std::move(joint)),
      dims_(std::move(dims)),
      others_(other_dimensions(dims_, joint_->dim())),
      has_density_(is_separable(joint_->prior())) {
  if (!has_density_) return;
  const Eigen::VectorXd log_masses = log_masses_of(joint_->coordinates(), others_);
  const TruncatedMixture& all = joint_->coordinates();
  lower_ = pick(all.support().lower(), others_);
  upper_ = pick(all.support().upper(), others_);
  for (Index k = 0; k < log_masses.size(); ++k) {
    const double lost =
        -std::expm1(log_masses(k)) * std::exp(all.mixture().log_weights()(k) - all.log_mass());
    cut_.emplace_back();
    if (lost <= kNothingLost) continue;
    const Gaussian& component = all.mixture().component(k);
    const Eigen::MatrixXd S = component.covariance();
    const Eigen::MatrixXd slope = Cholesky(S(dims_, dims_)).solve(S(dims_, others_)).transpose();
    const Eigen::VectorXd mean = component.mean();
    const Eigen::MatrixXd left = S(others_, others_) - slope * S(dims_, others_);
    cut_.back() =
        Others{mean(others_) - slope * mean(dims_), left.diagonal().cwiseMax(0).cwiseSqrt(), slope};
  }
}

bool MarginalPosterior::others_are_cut(const Others& others, const Eigen::VectorXd& z) const {
  const Eigen::VectorXd mean = others.offset + others.slope * z;
  double outside = 0;
  for (Index i = 0; i < mean.size(); ++i) {
    outside += normal_cdf((lower_(i) - mean(i)) / others.std(i)) +
               normal_cdf((mean(i) - upper_(i)) / others.std(i));
  }
  return !(outside < kNothingLost);
}

Eigen::MatrixXd MarginalPosterior::sample(Index count, Stream& stream) const {
  return joint_->sample(count, stream)(dims_, Eigen::all);
}

double MarginalPosterior::log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  check_rows(theta.size(), dim(), "Posterior: theta");
  if (!has_density_) {
    throw Error(ErrorKind::usage,
                "log_prob: the density of a marginal is not known where the prior is of kind \"" +
                    joint_->prior().kind() + "\"");
  }
  if (!prior().contains(theta)) return -kInfinity;
  const Eigen::VectorXd z = prior().to_coordinates(theta);
  const TruncatedMixture& all = joint_->coordinates();
  // sum_k alpha_k N_k(z) P_k(others in their box | z), over the joint mass.
  Eigen::VectorXd terms(all.mixture().num_components());
  for (Index k = 0; k < terms.size(); ++k) {
    terms(k) =
        all.mixture().log_weights()(k) + all.mixture().component(k).marginal(dims_).log_prob(z);
  }
  std::vector<Index> order(static_cast<std::size_t>(terms.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return terms(a) > terms(b); });
  double largest = -kInfinity;
  for (const Index k : order) {
    // A mass is at most one, so what is next to nothing without it stays that.
    const std::optional<Others>& cut = cut_[static_cast<std::size_t>(k)];
    if (cut && terms(k) > largest + kNegligible && others_are_cut(*cut, z)) {
      terms(k) += BoxGaussian(all.mixture().component(k).conditional(dims_, z), lower_, upper_)
                      .log_mass(kFewPoints, kDensityError)
                      .value;
    }
    largest = std::max(largest, terms(k));
  }
  return log_sum_exp(terms) - all.log_mass() - prior().log_jacobian(z);
}

Eigen::VectorXd MarginalPosterior::mean() const { return pick(joint_->mean(), dims_); }

Eigen::MatrixXd MarginalPosterior::covariance() const { return joint_->covariance()(dims_, dims_); }

double MarginalPosterior::quantile(Index dim, double probability) const {
  check_dimension(dim, this->dim());
  return joint_->quantile(dims_[static_cast<std::size_t>(dim)], probability);
}

PriorPtr marginal_prior(const PriorPtr& prior, std::span<const Index> dims) {
  check_some(dims, "marginal");
  other_dimensions(dims, prior->dim());
  if (const auto* independent = dynamic_cast<const IndependentPrior*>(prior.get())) {
    std::vector<Marginal> marginals;
    for (const Index dim : dims) {
      marginals.push_back(independent->marginals()[static_cast<std::size_t>(dim)]);
    }
    return independent_prior(std::move(marginals));
  }
  if (const auto* gaussian = dynamic_cast<const GaussianPrior*>(prior.get())) {
    return gaussian_prior(gaussian->gaussian().marginal(dims));
  }
  return std::make_shared<MarginalPrior>(prior, std::vector<Index>(dims.begin(), dims.end()));
}

PosteriorPtr marginal(const PosteriorPtr& posterior, std::span<const Index> dims) {
  check_some(dims, "marginal");
  const std::vector<Index> others = other_dimensions(dims, posterior->dim());
  const std::vector<Index> kept(dims.begin(), dims.end());
  if (const auto* samples = dynamic_cast<const SamplesPosterior*>(posterior.get())) {
    return std::make_shared<SamplesPosterior>(
        marginal_prior(posterior->prior_ptr(), dims), pick(posterior->names(), dims),
        WeightedSamples(samples->samples().points()(kept, Eigen::all),
                        Eigen::VectorXd(samples->samples().weights().array().log())));
  }
  if (const auto* part = dynamic_cast<const MarginalPosterior*>(posterior.get())) {
    std::vector<Index> of_joint;
    for (const Index dim : dims) of_joint.push_back(part->dims()[static_cast<std::size_t>(dim)]);
    return std::make_shared<MarginalPosterior>(std::make_shared<MixturePosterior>(part->joint()),
                                               std::move(of_joint));
  }
  const auto joint = std::dynamic_pointer_cast<const MixturePosterior>(posterior);
  if (!joint) {
    throw Error(ErrorKind::usage,
                "marginal: a posterior of kind \"" + posterior->kind() + "\" has none");
  }
  if (is_separable(joint->prior())) {
    const Eigen::VectorXd masses = log_masses_of(joint->coordinates(), others);
    if ((masses.array() >= -kNothingCutOff).all()) {
      return std::make_shared<MixturePosterior>(marginal_prior(joint->prior_ptr(), dims),
                                                pick(joint->names(), dims),
                                                joint->coordinates().mixture().marginal(dims));
    }
  }
  return std::make_shared<MarginalPosterior>(joint, kept);
}

PosteriorPtr conditional(const Posterior& posterior, std::span<const Index> dims,
                         const Eigen::Ref<const Eigen::VectorXd>& values) {
  check_some(dims, "conditional");
  check_rows(values.size(), static_cast<Index>(dims.size()), "conditional: the values");
  const std::vector<Index> others = other_dimensions(dims, posterior.dim());
  if (others.empty()) {
    throw Error(ErrorKind::input, "conditional: every parameter is given, none is left");
  }
  const auto* joint = dynamic_cast<const MixturePosterior*>(&posterior);
  const Prior& prior = posterior.prior();
  if (!joint || !is_separable(prior)) {
    throw Error(ErrorKind::input,
                "conditional: expected a posterior of kind \"mixture\" with a prior of kind "
                "\"independent\" or \"gaussian\", got \"" +
                    posterior.kind() + "\" with \"" + prior.kind() + "\"");
  }
  const PriorPtr of_given = marginal_prior(posterior.prior_ptr(), dims);
  if (!of_given->contains(values)) {
    throw Error(ErrorKind::input, "conditional: the given values lie outside the prior's support");
  }
  PriorPtr rest;
  if (const auto* gaussian = dynamic_cast<const GaussianPrior*>(&prior)) {
    rest = gaussian_prior(gaussian->gaussian().conditional(dims, values));
  } else {
    rest = marginal_prior(posterior.prior_ptr(), others);
  }
  return std::make_shared<MixturePosterior>(
      std::move(rest), pick(posterior.names(), others),
      joint->coordinates().mixture().conditional(dims, of_given->to_coordinates(values)));
}

}  // namespace epsfree
