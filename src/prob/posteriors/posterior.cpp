#include "epsfree/posterior.hpp"

#include <string>

#include "base/interruption.hpp"
#include "base/numbered_names.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "prob/dimensions.hpp"

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

double Posterior::log_prob(const Eigen::Ref<const Eigen::VectorXd>&) const {
  throw Error(ErrorKind::usage,
              "log_prob: this posterior is of kind \"" + kind() + "\", whose density is not known");
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

double Posterior::log_prob_error() const {
  const std::optional<Estimate> mass = mass_on_support();
  return mass && mass->standard_error > 0 ? mass->standard_error / mass->value : 0;
}

std::optional<Estimate> Posterior::mass_on_support() const {
  if (const TruncatedMixture* cut = mixture()) return cut->mass();
  return std::nullopt;
}

PosteriorPtr Posterior::marginal(std::span<const Index> dims) const {
  check_some(dims, "marginal");
  other_dimensions(dims, dim());
  return marginal_of(dims);
}

PosteriorPtr Posterior::conditional(std::span<const Index> dims,
                                    const Eigen::Ref<const Eigen::VectorXd>& values) const {
  return conditional_on(dims, values, left_by_condition(dims, values.size(), dim()));
}

PosteriorPtr Posterior::marginal_of(std::span<const Index> dims) const {
  PosteriorPtr self = weak_from_this().lock();
  if (!self) {
    throw Error(ErrorKind::usage,
                "marginal: it keeps the posterior, which has to be made by std::make_shared");
  }
  return std::make_shared<MarginalPosterior>(std::move(self),
                                             std::vector<Index>(dims.begin(), dims.end()));
}

PosteriorPtr Posterior::conditional_on(std::span<const Index>,
                                       const Eigen::Ref<const Eigen::VectorXd>&,
                                       std::span<const Index>) const {
  throw Error(ErrorKind::input,
              "conditional: expected a posterior of kind \"mixture\" with a prior of kind "
              "\"independent\" or \"gaussian\", got \"" +
                  kind() + "\" with \"" + prior().kind() + "\"");
}

std::vector<std::string> Posterior::names_of(std::span<const Index> dims) const {
  std::vector<std::string> result;
  for (const Index each : dims) {
    check_dimension(each, dim());
    result.push_back(names_[static_cast<std::size_t>(each)]);
  }
  return result;
}

std::vector<std::string> default_names(Index dim) { return numbered_names("theta", dim); }

}  // namespace epsfree
