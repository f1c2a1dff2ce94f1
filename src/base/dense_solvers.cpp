#include "base/dense_solvers.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace epsfree {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Cholesky::Cholesky(const Eigen::Ref<const MatrixXd>& A) : llt_(A) {}

MatrixXd Cholesky::lower() const { return llt_.matrixL(); }
MatrixXd Cholesky::upper() const { return llt_.matrixU(); }
VectorXd Cholesky::diagonal() const { return llt_.matrixLLT().diagonal(); }
double Cholesky::log_diagonal_sum() const {
  return llt_.matrixLLT().diagonal().array().log().sum();
}
MatrixXd Cholesky::inverse_of_lower() const {
  return llt_.matrixL().solve(MatrixXd::Identity(llt_.rows(), llt_.rows()));
}
VectorXd Cholesky::solve_vector(const VectorXd& b) const { return llt_.solve(b); }
MatrixXd Cholesky::solve_matrix(const MatrixXd& b) const { return llt_.solve(b); }
VectorXd Cholesky::solve_lower_vector(const VectorXd& b) const { return llt_.matrixL().solve(b); }
MatrixXd Cholesky::solve_lower_matrix(const MatrixXd& b) const { return llt_.matrixL().solve(b); }

VectorXd solve_symmetric(const MatrixXd& A, const VectorXd& b) { return A.ldlt().solve(b); }
MatrixXd solve_symmetric_columns(const MatrixXd& A, const MatrixXd& B) { return A.ldlt().solve(B); }

SymmetricEigen symmetric_eigen(const MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(A);
  return {solver.info() == Eigen::Success, solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricEigen symmetric_eigenvalues(const MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(A, Eigen::EigenvaluesOnly);
  return {solver.info() == Eigen::Success, solver.eigenvalues(), {}};
}

VectorXd solve_square(const MatrixXd& A, const VectorXd& b) { return A.partialPivLu().solve(b); }
MatrixXd solve_square_columns(const MatrixXd& A, const MatrixXd& B) {
  return A.partialPivLu().solve(B);
}
MatrixXd inverse_of_square(const MatrixXd& A) { return A.inverse(); }
double log_abs_determinant(const MatrixXd& A) {
  return A.partialPivLu().matrixLU().diagonal().array().abs().log().sum();
}

MatrixXd inverse_or_empty(const MatrixXd& A) {
  const Eigen::FullPivLU<MatrixXd> lu(A);
  if (!lu.isInvertible()) return {};
  return lu.inverse();
}

VectorXd least_squares(const MatrixXd& A, const VectorXd& b) {
  return Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A).solve(b);
}
MatrixXd least_squares_columns(const MatrixXd& A, const MatrixXd& B) {
  return Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A).solve(B);
}

MatrixXd inverse_of_upper(const MatrixXd& upper) {
  MatrixXd inverse = MatrixXd::Identity(upper.rows(), upper.cols());
  upper.triangularView<Eigen::Upper>().solveInPlace(inverse);
  return inverse.triangularView<Eigen::Upper>();
}

MatrixXd upper_factor(const MatrixXd& M) {
  const Eigen::HouseholderQR<MatrixXd> qr(M);
  MatrixXd R = qr.matrixQR().topRows(M.cols()).triangularView<Eigen::Upper>();
  for (Index i = 0; i < R.rows(); ++i) {
    if (R(i, i) < 0) R.row(i) = -R.row(i);
  }
  return R;
}

}  // namespace epsfree
