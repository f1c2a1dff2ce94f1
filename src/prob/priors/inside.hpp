// What rounding does at the edge of a support, and how to repair it.
#pragma once

#include "epsfree/support.hpp"

namespace epsfree {

/// A log mass this near to zero says that the support cuts nothing off.
constexpr double kNothingCutOff = 1e-10;

/// A point of the support close to z, for a z that is outside by no more than rounding (a box takes
/// any).
Eigen::VectorXd bring_inside(const Support& support, Eigen::VectorXd z);

/// The inverse of A; throws ErrorKind::input with `name` unless A is dim x dim, finite and
/// invertible.
Eigen::MatrixXd checked_inverse(const Eigen::Ref<const Eigen::MatrixXd>& A, Index dim,
                                const char* name);

}  // namespace epsfree
