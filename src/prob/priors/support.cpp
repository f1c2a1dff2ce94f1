#include "epsfree/support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/dense_solvers.hpp"
#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/priors/inside.hpp"

namespace epsfree {
namespace {

/// The power of two that brings the largest of `values` to about one.
template <class Values>
double balancing(const Values& values) {
  const double largest = values.cwiseAbs().maxCoeff();
  return largest > 0 ? std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000)) : 1.0;
}

/// The inverse of a square, finite matrix, or an empty one where it has none.
Eigen::MatrixXd inverse_or_nothing(const Eigen::MatrixXd& A) {
  if (A.isDiagonal(0.0)) {
    if ((A.diagonal().array() == 0).any()) return {};
    return A.diagonal().cwiseInverse().asDiagonal();
  }
  // The rank of A is judged against its largest pivot, which means nothing where dimensions have
  // units of their own: rows and columns are brought to one scale first, exactly.
  constexpr int kNumPasses = 4;
  Eigen::MatrixXd B = A;
  Eigen::VectorXd rows = Eigen::VectorXd::Ones(A.rows()), columns = rows;
  for (int pass = 0; pass < kNumPasses; ++pass) {
    for (Index i = 0; i < A.rows(); ++i) {
      const double factor = balancing(B.row(i));
      B.row(i) *= factor;
      rows(i) *= factor;
    }
    for (Index j = 0; j < A.cols(); ++j) {
      const double factor = balancing(B.col(j));
      B.col(j) *= factor;
      columns(j) *= factor;
    }
  }
  const Eigen::MatrixXd inverse = inverse_or_empty(B);
  if (inverse.size() == 0) return {};
  return columns.asDiagonal() * inverse * rows.asDiagonal();
}

}  // namespace

Support Support::everywhere(Index dim) {
  if (dim < 1) {
    throw Error(ErrorKind::input, "Support: dim = " + std::to_string(dim) + ", must be at least 1");
  }
  Support result;
  result.lower_ = Eigen::VectorXd::Constant(dim, -kInfinity);
  result.upper_ = Eigen::VectorXd::Constant(dim, kInfinity);
  return result;
}

Support Support::box(Eigen::VectorXd lower, Eigen::VectorXd upper) {
  if (lower.size() == 0) throw Error(ErrorKind::input, "Support: the bounds are empty");
  check_rows(upper.size(), lower.size(), "Support: the upper bound");
  for (Index i = 0; i < lower.size(); ++i) {
    if (!(lower(i) < upper(i)) || lower(i) == kInfinity || upper(i) == -kInfinity) {
      throw Error(ErrorKind::input, "Support: lower = " + std::to_string(lower(i)) +
                                        " must be less than upper = " + std::to_string(upper(i)) +
                                        " in dimension " + std::to_string(i + 1));
    }
  }
  Support result;
  result.lower_ = std::move(lower);
  result.upper_ = std::move(upper);
  return result;
}

Support Support::image(const Eigen::Ref<const Eigen::MatrixXd>& A,
                       const Eigen::Ref<const Eigen::VectorXd>& b) const {
  const Eigen::MatrixXd inverse = checked_inverse(A, dim(), "Support::image: A");
  check_rows(b.size(), dim(), "Support::image: b");
  if (!b.allFinite()) throw Error(ErrorKind::input, "Support::image: b is not finite");
  if (is_everywhere()) return everywhere(dim());
  Support result;
  result.W_ = is_box() ? inverse : Eigen::MatrixXd(W_ * inverse);
  const Eigen::VectorXd offset = result.W_ * b;
  result.lower_ = lower_ + offset;
  result.upper_ = upper_ + offset;
  if (!result.W_.isDiagonal(0.0)) return result;
  // Scaled axes only: still a box.
  for (Index i = 0; i < dim(); ++i) {
    const double w = result.W_(i, i);
    const double first = result.lower_(i) / w;
    const double second = result.upper_(i) / w;
    result.lower_(i) = std::min(first, second);
    result.upper_(i) = std::max(first, second);
  }
  result.W_.resize(0, 0);
  return result;
}

bool Support::contains(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  if (z.size() != dim() || !z.allFinite()) return false;
  const auto within = [&](const auto& y) {
    return (y.array() >= lower_.array()).all() && (y.array() <= upper_.array()).all();
  };
  if (is_box()) return within(z);
  const Eigen::VectorXd y = W_ * z;
  return within(y);
}

bool Support::is_everywhere() const {
  return (lower_.array() == -kInfinity).all() && (upper_.array() == kInfinity).all();
}

Eigen::MatrixXd Support::to_box() const {
  return is_box() ? Eigen::MatrixXd::Identity(dim(), dim()) : W_;
}

Eigen::MatrixXd checked_inverse(const Eigen::Ref<const Eigen::MatrixXd>& A, Index dim,
                                const char* name) {
  if (A.rows() != dim || A.cols() != dim) {
    throw Error(ErrorKind::input, std::string(name) + " is " + std::to_string(A.rows()) + " x " +
                                      std::to_string(A.cols()) + ", expected " +
                                      std::to_string(dim) + " x " + std::to_string(dim));
  }
  if (!A.allFinite()) {
    throw Error(ErrorKind::input, std::string(name) + " has a value that is not finite");
  }
  const Eigen::MatrixXd inverse = inverse_or_nothing(A);
  if (inverse.size() == 0 || !inverse.allFinite()) {
    throw Error(ErrorKind::input, std::string(name) + " is not invertible");
  }
  return inverse;
}

Eigen::VectorXd bring_inside(const Support& support, Eigen::VectorXd z) {
  if (support.contains(z)) return z;
  if (support.is_box()) return z.cwiseMax(support.lower()).cwiseMin(support.upper());
  const Eigen::MatrixXd W = support.to_box();
  const Eigen::VectorXd y = W * z;
  // How far W z can be off by rounding; the margin grows until the point is inside.
  const Eigen::VectorXd rounding =
      std::numeric_limits<double>::epsilon() * (W.cwiseAbs() * z.cwiseAbs() + y.cwiseAbs());
  Eigen::VectorXd moved = z;
  for (double margin = 1; margin < 1e9; margin *= 4) {
    Eigen::VectorXd target(y.size());
    for (Index i = 0; i < y.size(); ++i) {
      const double room = 0.5 * (support.upper()(i) - support.lower()(i));
      const double inset = std::min(margin * rounding(i), room);
      target(i) = std::min(std::max(y(i), support.lower()(i) + inset), support.upper()(i) - inset);
    }
    moved = solve_square(W, target);
    if (support.contains(moved)) return moved;
  }
  return moved;
}

}  // namespace epsfree
