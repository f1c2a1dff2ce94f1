// How probable it is that a simulation is valid, as a function of its parameters.
#pragma once

#include <Eigen/Core>
#include <span>

#include "epsfree/simulator.hpp"

namespace epsfree {

/// log p(valid | z): a logistic regression on z, its squares and products, with a weak Gaussian
/// prior on the coefficients. Zero where every simulation was valid. Faults of the machinery say
/// nothing of nature, and are left out.
class ValidityModel {
 public:
  /// Always valid.
  ValidityModel() = default;
  /// One column of z and one status per simulation.
  ValidityModel(const Eigen::Ref<const Eigen::MatrixXd>& z, std::span<const SimStatus> statuses);

  bool always_valid() const { return coefficients_.size() == 0; }
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& z) const;

 private:
  Eigen::VectorXd features(const Eigen::Ref<const Eigen::VectorXd>& z) const;

  Eigen::VectorXd centre_, scale_;
  Eigen::VectorXd coefficients_;
};

}  // namespace epsfree
