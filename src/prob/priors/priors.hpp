// The concrete priors, with what a file needs to hold of them.
#pragma once

#include <vector>

#include "epsfree/prior.hpp"

namespace epsfree {

class IndependentPrior final : public Prior {
 public:
  explicit IndependentPrior(std::vector<Marginal> marginals);

  const std::vector<Marginal>& marginals() const { return marginals_; }

  Index dim() const override { return static_cast<Index>(marginals_.size()); }
  std::string kind() const override { return "independent"; }
  using Prior::sample;
  Eigen::VectorXd sample(Stream& stream) const override;
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  bool contains(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd mean() const override;
  Eigen::MatrixXd covariance() const override;
  Eigen::VectorXd to_coordinates(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd from_coordinates(const Eigen::Ref<const Eigen::VectorXd>& z) const override;
  double log_jacobian(const Eigen::Ref<const Eigen::VectorXd>& z) const override;
  bool coordinates_are_identity() const override;
  Support coordinate_support() const override;
  LogQuadratic coordinate_log_density() const override;
  Eigen::VectorXd coordinate_mean() const override;
  Eigen::VectorXd coordinate_std() const override;

 private:
  std::vector<Marginal> marginals_;
};

class GaussianPrior final : public Prior {
 public:
  explicit GaussianPrior(Gaussian gaussian) : gaussian_(std::move(gaussian)) {}

  const Gaussian& gaussian() const { return gaussian_; }

  Index dim() const override { return gaussian_.dim(); }
  std::string kind() const override { return "gaussian"; }
  using Prior::sample;
  Eigen::VectorXd sample(Stream& stream) const override { return gaussian_.sample(stream); }
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  bool contains(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd mean() const override { return gaussian_.mean(); }
  Eigen::MatrixXd covariance() const override { return gaussian_.covariance(); }
  Eigen::VectorXd to_coordinates(const Eigen::Ref<const Eigen::VectorXd>& theta) const override {
    return theta;
  }
  Eigen::VectorXd from_coordinates(const Eigen::Ref<const Eigen::VectorXd>& z) const override {
    return z;
  }
  double log_jacobian(const Eigen::Ref<const Eigen::VectorXd>&) const override { return 0; }
  bool coordinates_are_identity() const override { return true; }
  Support coordinate_support() const override { return Support::everywhere(dim()); }
  LogQuadratic coordinate_log_density() const override { return LogQuadratic::of(gaussian_); }
  Eigen::VectorXd coordinate_mean() const override { return gaussian_.mean(); }
  Eigen::VectorXd coordinate_std() const override;

 private:
  Gaussian gaussian_;
};

/// theta = A u + b. Its coordinates are theta itself where the base's are u itself, and otherwise
/// the base's coordinates of u.
class LinearImagePrior final : public Prior {
 public:
  LinearImagePrior(PriorPtr base, Eigen::MatrixXd A, Eigen::VectorXd b);

  const Prior& base() const { return *base_; }
  const Eigen::MatrixXd& A() const { return A_; }
  const Eigen::VectorXd& b() const { return b_; }

  Index dim() const override { return b_.size(); }
  std::string kind() const override { return "linear-image"; }
  using Prior::sample;
  Eigen::VectorXd sample(Stream& stream) const override;
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  bool contains(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd mean() const override;
  Eigen::MatrixXd covariance() const override;
  Eigen::VectorXd to_coordinates(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd from_coordinates(const Eigen::Ref<const Eigen::VectorXd>& z) const override;
  double log_jacobian(const Eigen::Ref<const Eigen::VectorXd>& z) const override;
  bool coordinates_are_identity() const override { return base_->coordinates_are_identity(); }
  Support coordinate_support() const override;
  LogQuadratic coordinate_log_density() const override;
  Eigen::VectorXd coordinate_mean() const override;
  Eigen::VectorXd coordinate_std() const override;

 private:
  /// u of theta, not yet repaired at the support's edge.
  Eigen::VectorXd to_base(const Eigen::Ref<const Eigen::VectorXd>& theta) const;

  PriorPtr base_;
  Eigen::MatrixXd A_;
  Eigen::VectorXd b_;
  Eigen::MatrixXd A_inverse_;
  double log_abs_det_;
  Support base_support_;  // of the base's coordinates
  Support support_;       // of this prior's coordinates
};

/// Some dimensions of a prior whose marginals have no closed form: an image of another. It has
/// samples and moments, is no prior to infer with, and takes any theta to be in its support.
class MarginalPrior final : public Prior {
 public:
  MarginalPrior(PriorPtr base, std::vector<Index> dims);

  const Prior& base() const { return *base_; }
  const std::vector<Index>& dims() const { return dims_; }

  Index dim() const override { return static_cast<Index>(dims_.size()); }
  std::string kind() const override { return "marginal"; }
  using Prior::sample;
  Eigen::VectorXd sample(Stream& stream) const override;
  /// Throws ErrorKind::usage: it is not known.
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  bool contains(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd mean() const override;
  Eigen::MatrixXd covariance() const override;
  Eigen::VectorXd to_coordinates(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd from_coordinates(const Eigen::Ref<const Eigen::VectorXd>& z) const override;
  double log_jacobian(const Eigen::Ref<const Eigen::VectorXd>& z) const override;
  bool coordinates_are_identity() const override { return true; }
  Support coordinate_support() const override { return Support::everywhere(dim()); }
  LogQuadratic coordinate_log_density() const override;
  Eigen::VectorXd coordinate_mean() const override { return mean(); }
  Eigen::VectorXd coordinate_std() const override;

 private:
  PriorPtr base_;
  std::vector<Index> dims_;
};

}  // namespace epsfree
