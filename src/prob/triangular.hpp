// Small helpers on triangular factors.
#pragma once

#include <Eigen/Core>
#include <Eigen/QR>

namespace epsfree {

/// The inverse of an upper triangular matrix, exactly zero below the diagonal.
inline Eigen::MatrixXd inverse_of_upper(const Eigen::MatrixXd& upper) {
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(upper.rows(), upper.cols());
  upper.triangularView<Eigen::Upper>().solveInPlace(inverse);
  return inverse.triangularView<Eigen::Upper>();
}

/// R of M = Q R for a matrix with at least as many rows as columns: upper triangular with a
/// diagonal that is not negative, R^T R = M^T M. Stabler than a Cholesky factorisation of M^T M.
inline Eigen::MatrixXd upper_factor(const Eigen::MatrixXd& M) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(M);
  Eigen::MatrixXd R = qr.matrixQR().topRows(M.cols()).template triangularView<Eigen::Upper>();
  for (Eigen::Index i = 0; i < R.rows(); ++i) {
    if (R(i, i) < 0) R.row(i) = -R.row(i);
  }
  return R;
}

}  // namespace epsfree
