// Some parameters of a joint posterior.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/dense_solvers.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/mixtures/box_gaussian.hpp"
#include "prob/normal.hpp"
#include "prob/posteriors/box_masses.hpp"

namespace epsfree {
namespace {

// A density is asked for at thousands of points, and looked at.
constexpr Index kFewPoints = 8;
constexpr double kDensityError = 1e-3;
// A share of the whole that may be missing from it.
constexpr double kNothingLost = 1e-6;
constexpr double kNegligible = -12;  // as a logarithm

const Posterior& checked_joint(const PosteriorPtr& joint) {
  if (!joint) throw Error(ErrorKind::input, "MarginalPosterior: there is no joint posterior");
  return *joint;
}

}  // namespace

MarginalPosterior::MarginalPosterior(PosteriorPtr joint, std::vector<Index> dims)
    : Posterior(checked_joint(joint).prior().marginal(dims), joint->names_of(dims)),
      joint_(std::move(joint)),
      dims_(std::move(dims)),
      others_(other_dimensions(dims_, joint_->dim())),
      has_density_(joint_->mixture() != nullptr && joint_->prior().coordinates_are_separate()) {
  if (!has_density_) return;
  const TruncatedMixture& all = *joint_->mixture();
  const Eigen::VectorXd log_masses = log_masses_of(all, others_);
  lower_ = all.support().lower()(others_);
  upper_ = all.support().upper()(others_);
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
    throw Error(ErrorKind::usage, "log_prob: the density of a marginal is not known where the " +
                                      (joint_->mixture() != nullptr
                                           ? "prior is of kind \"" + joint_->prior().kind()
                                           : "joint posterior is of kind \"" + joint_->kind()) +
                                      "\"");
  }
  if (!prior().contains(theta)) return -kInfinity;
  const Eigen::VectorXd z = prior().to_coordinates(theta);
  const TruncatedMixture& all = *joint_->mixture();
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

Eigen::VectorXd MarginalPosterior::mean() const { return joint_->mean()(dims_); }

Eigen::MatrixXd MarginalPosterior::covariance() const { return joint_->covariance()(dims_, dims_); }

double MarginalPosterior::quantile(Index dim, double probability) const {
  check_dimension(dim, this->dim());
  return joint_->quantile(dims_[static_cast<std::size_t>(dim)], probability);
}

PosteriorPtr MarginalPosterior::marginal_of(std::span<const Index> dims) const {
  std::vector<Index> of_joint;
  for (const Index dim : dims) of_joint.push_back(dims_[static_cast<std::size_t>(dim)]);
  return std::make_shared<MarginalPosterior>(joint_, std::move(of_joint));
}

}  // namespace epsfree
