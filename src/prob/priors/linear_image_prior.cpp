#include <cmath>

#include "base/dense_solvers.hpp"
#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/priors/inside.hpp"
#include "prob/priors/priors.hpp"

namespace epsfree {
namespace {

PriorPtr checked_base(PriorPtr base) {
  if (!base) throw Error(ErrorKind::input, "linear-image prior: there is no base prior");
  return base;
}

Eigen::VectorXd checked_shift(Eigen::VectorXd b, Index dim) {
  check_rows(b.size(), dim, "linear-image prior: b");
  if (!b.allFinite()) throw Error(ErrorKind::input, "linear-image prior: b is not finite");
  return b;
}

}  // namespace

LinearImagePrior::LinearImagePrior(PriorPtr base, Eigen::MatrixXd A, Eigen::VectorXd b)
    : base_(checked_base(std::move(base))),
      A_(std::move(A)),
      b_(checked_shift(std::move(b), base_->dim())),
      A_inverse_(checked_inverse(A_, base_->dim(), "linear-image prior: A")),
      log_abs_det_(log_abs_determinant(A_)),
      base_support_(base_->coordinate_support()),
      support_(coordinates_are_identity() ? base_support_.image(A_, b_) : base_support_) {}

Eigen::VectorXd LinearImagePrior::to_base(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  check_rows(theta.size(), dim(), "linear-image prior: theta");
  return A_inverse_ * (theta - b_);
}

Eigen::VectorXd LinearImagePrior::sample(Stream& stream) const {
  const Eigen::VectorXd u = base_->sample(stream);
  Eigen::VectorXd theta = A_ * u + b_;
  if (contains(theta)) return theta;
  if (coordinates_are_identity()) return bring_inside(support_, std::move(theta));
  return from_coordinates(base_->to_coordinates(u));
}

double LinearImagePrior::log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  if (!contains(theta)) return -kInfinity;
  Eigen::VectorXd u = to_base(theta);
  if (coordinates_are_identity()) u = bring_inside(base_support_, std::move(u));
  return base_->log_prob(u) - log_abs_det_;
}

bool LinearImagePrior::contains(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  if (theta.size() != dim()) return false;
  return coordinates_are_identity() ? support_.contains(theta) : base_->contains(to_base(theta));
}

Eigen::VectorXd LinearImagePrior::mean() const { return A_ * base_->mean() + b_; }

Eigen::MatrixXd LinearImagePrior::covariance() const {
  return A_ * base_->covariance() * A_.transpose();
}

Eigen::VectorXd LinearImagePrior::to_coordinates(
    const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  if (coordinates_are_identity()) return theta;
  return base_->to_coordinates(to_base(theta));
}

Eigen::VectorXd LinearImagePrior::from_coordinates(
    const Eigen::Ref<const Eigen::VectorXd>& z) const {
  if (coordinates_are_identity()) return z;
  // A u + b rounds, and A^-1 of it may then lie a little outside the base's support. Moving z
  // towards the middle by a growing multiple of the rounding error repairs that.
  Eigen::VectorXd theta = A_ * base_->from_coordinates(z) + b_;
  const Eigen::VectorXd middle = base_->coordinate_mean();
  for (int power = -52; power < 0 && !contains(theta); ++power) {
    theta = A_ * base_->from_coordinates(z + std::ldexp(1.0, power) * (middle - z)) + b_;
  }
  return theta;
}

double LinearImagePrior::log_jacobian(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  return coordinates_are_identity() ? 0 : base_->log_jacobian(z) + log_abs_det_;
}

Support LinearImagePrior::coordinate_support() const { return support_; }

LogQuadratic LinearImagePrior::coordinate_log_density() const {
  LogQuadratic density = base_->coordinate_log_density();
  if (!coordinates_are_identity()) return density;
  // -1/2 u^T P u + s^T u at u = A^-1 (z - b)
  const Eigen::MatrixXd precision = A_inverse_.transpose() * density.precision * A_inverse_;
  const Eigen::VectorXd shift = A_inverse_.transpose() * density.shift + precision * b_;
  return {precision, shift};
}

Eigen::VectorXd LinearImagePrior::coordinate_mean() const {
  return coordinates_are_identity() ? mean() : base_->coordinate_mean();
}

Eigen::VectorXd LinearImagePrior::coordinate_std() const {
  return coordinates_are_identity() ? Eigen::VectorXd(covariance().diagonal().cwiseSqrt())
                                    : base_->coordinate_std();
}

ThetaMoments LinearImagePrior::theta_moments(const TruncatedMixture& z) const {
  if (coordinates_are_identity()) return Prior::theta_moments(z);
  // The coordinates are those of the base.
  const ThetaMoments base = base_->theta_moments(z);
  return {A_ * base.mean + b_, A_ * base.covariance * A_.transpose()};
}

bool LinearImagePrior::has_parameters_of(const Prior& other) const {
  const auto& image = static_cast<const LinearImagePrior&>(other);
  return A_ == image.A_ && b_ == image.b_ && same_prior(*base_, *image.base_);
}

}  // namespace epsfree
