#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"
#include "prob/priors/priors.hpp"

namespace epsfree {

MarginalPrior::MarginalPrior(PriorPtr base, std::vector<Index> dims)
    : base_(std::move(base)), dims_(std::move(dims)) {
  other_dimensions(dims_, base_->dim());
}

void MarginalPrior::refuse() const {
  throw Error(ErrorKind::usage, "the density of a marginal of a prior of kind \"" + base_->kind() +
                                    "\" is not known");
}

Eigen::VectorXd MarginalPrior::sample(Stream& stream) const { return base_->sample(stream)(dims_); }

double MarginalPrior::log_prob(const Eigen::Ref<const Eigen::VectorXd>&) const { refuse(); }

bool MarginalPrior::contains(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  return theta.size() == dim() && theta.allFinite();
}

Eigen::VectorXd MarginalPrior::mean() const { return base_->mean()(dims_); }

Eigen::MatrixXd MarginalPrior::covariance() const { return base_->covariance()(dims_, dims_); }

Eigen::VectorXd MarginalPrior::to_coordinates(
    const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  return theta;
}

Eigen::VectorXd MarginalPrior::from_coordinates(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  return z;
}

double MarginalPrior::log_jacobian(const Eigen::Ref<const Eigen::VectorXd>&) const { return 0; }

LogQuadratic MarginalPrior::coordinate_log_density() const { refuse(); }

Eigen::VectorXd MarginalPrior::coordinate_std() const {
  return covariance().diagonal().cwiseSqrt();
}

bool MarginalPrior::has_parameters_of(const Prior& other) const {
  const auto& part = static_cast<const MarginalPrior&>(other);
  return dims_ == part.dims_ && same_prior(*base_, *part.base_);
}

}  // namespace epsfree
