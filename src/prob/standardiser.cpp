#include "epsfree/standardiser.hpp"
#include "base/dense_solvers.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"
#include "prob/priors/inside.hpp"

namespace epsfree {
namespace {

// A spread this small beside the values (or beside the largest spread) is rounding error.
constexpr double kNoSpread = 1e-12;

Eigen::VectorXd standard_deviations(const Eigen::MatrixXd& centred,
                                    const Eigen::Ref<const Eigen::MatrixXd>& points) {
  Eigen::VectorXd scale(points.rows());
  for (Index i = 0; i < points.rows(); ++i) {
    scale(i) = centred.row(i).norm() / std::sqrt(static_cast<double>(points.cols()));
    if (!(scale(i) > kNoSpread * points.row(i).cwiseAbs().maxCoeff())) scale(i) = 1;
  }
  return scale;
}

}  // namespace

std::string to_string(Scaling scaling) {
  switch (scaling) {
    case Scaling::as_is:
      return "as-is";
    case Scaling::normalise:
      return "normalise";
    case Scaling::whiten:
      return "whiten";
  }
  throw Error(ErrorKind::internal, "Scaling: a value that names no scaling");
}

Standardiser::Standardiser(Eigen::VectorXd shift, Eigen::MatrixXd matrix)
    : shift_(std::move(shift)), matrix_(std::move(matrix)) {}

Standardiser Standardiser::identity(Index dim) {
  return {Eigen::VectorXd::Zero(dim), Eigen::MatrixXd::Identity(dim, dim)};
}

Standardiser Standardiser::diagonal(Eigen::VectorXd shift,
                                    const Eigen::Ref<const Eigen::VectorXd>& scale) {
  check_rows(scale.size(), shift.size(), "Standardiser: scale");
  for (Index i = 0; i < scale.size(); ++i) {
    if (!(scale(i) > 0) || !std::isfinite(scale(i)) || !std::isfinite(1 / scale(i))) {
      throw Error(ErrorKind::input, "Standardiser: scale = " + std::to_string(scale(i)) +
                                        " in dimension " + std::to_string(i + 1) +
                                        ", must be positive and finite");
    }
  }
  return from_parts(std::move(shift), scale.cwiseInverse().asDiagonal());
}

Standardiser Standardiser::fit(const Eigen::Ref<const Eigen::MatrixXd>& points, Scaling scaling) {
  const Index dim = points.rows();
  if (points.size() == 0) throw Error(ErrorKind::input, "Standardiser: there are no points");
  if (!points.allFinite()) {
    throw Error(ErrorKind::input, "Standardiser: a point has a value that is not finite");
  }
  if (scaling == Scaling::as_is) return identity(dim);
  Eigen::VectorXd shift = points.rowwise().mean();
  Eigen::MatrixXd centred = points.colwise() - shift;
  const Eigen::VectorXd scale = standard_deviations(centred, points);
  if (scaling == Scaling::normalise) return diagonal(std::move(shift), scale);
  // The eigenvectors of the correlations, not of the covariance: statistics that differ by ten
  // orders of magnitude would otherwise be lost in rounding.
  centred = scale.cwiseInverse().asDiagonal() * centred;
  const Eigen::MatrixXd correlation =
      centred * centred.transpose() / static_cast<double>(points.cols());
  const SymmetricEigen eigen = symmetric_eigen(correlation);
  Eigen::MatrixXd matrix(dim, dim);
  const double largest = eigen.values.maxCoeff();
  for (Index i = 0; i < dim; ++i) {
    const double variance = eigen.values(i);
    const bool varies = variance > kNoSpread * largest;
    matrix.row(i) = eigen.vectors.col(i).transpose() / (varies ? std::sqrt(variance) : 1.0);
  }
  matrix = matrix * scale.cwiseInverse().asDiagonal();
  return from_parts(std::move(shift), std::move(matrix));
}

Standardiser Standardiser::from_parts(Eigen::VectorXd shift, Eigen::MatrixXd matrix) {
  if (!shift.allFinite()) {
    throw Error(ErrorKind::input, "Standardiser: the shift has a value that is not finite");
  }
  checked_inverse(matrix, shift.size(), "Standardiser: the matrix");
  return {std::move(shift), std::move(matrix)};
}

Eigen::MatrixXd Standardiser::apply(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
  check_rows(points.rows(), dim(), "Standardiser: a point");
  // Some columns at a time: the differences of all would take as much memory again.
  constexpr Index kColumns = 4096;
  Eigen::MatrixXd result(points.rows(), points.cols());
  for (Index begin = 0; begin < points.cols(); begin += kColumns) {
    const Index count = std::min(kColumns, points.cols() - begin);
    result.middleCols(begin, count).noalias() =
        matrix_ * (points.middleCols(begin, count).colwise() - shift_);
  }
  return result;
}

Eigen::MatrixXd Standardiser::invert(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
  check_rows(points.rows(), dim(), "Standardiser: a point");
  return solve_square_columns(matrix_, points).colwise() + shift_;
}

}  // namespace epsfree
