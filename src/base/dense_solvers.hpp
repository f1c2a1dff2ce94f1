// Factorisations of dense matrices of doubles, compiled once.
//
// Eigen's are templates: each file that uses one compiles it again, which takes 3 to 10 s. The
// classes and functions here do the same arithmetic, bit for bit, behind ordinary functions.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace epsfree {

/// A = L L^T for a symmetric positive definite matrix.
class Cholesky {
 public:
  explicit Cholesky(const Eigen::Ref<const Eigen::MatrixXd>& A);

  /// False where A is not positive definite; then nothing else may be asked.
  bool succeeded() const { return llt_.info() == Eigen::Success; }
  Eigen::MatrixXd lower() const;             ///< L, zero above the diagonal
  Eigen::MatrixXd upper() const;             ///< L^T, zero below the diagonal
  Eigen::VectorXd diagonal() const;          ///< the diagonal of L
  double log_diagonal_sum() const;           ///< half of log det A
  Eigen::MatrixXd inverse_of_lower() const;  ///< L^-1

  /// A^-1 b, for a vector or for each column of a matrix.
  template <typename B>
  auto solve(const Eigen::MatrixBase<B>& b) const {
    if constexpr (B::ColsAtCompileTime == 1) {
      return solve_vector(b);
    } else {
      return solve_matrix(b);
    }
  }
  /// L^-1 b, for a vector or for each column of a matrix.
  template <typename B>
  auto solve_lower(const Eigen::MatrixBase<B>& b) const {
    if constexpr (B::ColsAtCompileTime == 1) {
      return solve_lower_vector(b);
    } else {
      return solve_lower_matrix(b);
    }
  }

 private:
  Eigen::VectorXd solve_vector(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd solve_matrix(const Eigen::MatrixXd& b) const;
  Eigen::VectorXd solve_lower_vector(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd solve_lower_matrix(const Eigen::MatrixXd& b) const;

  Eigen::LLT<Eigen::MatrixXd> llt_;
};

/// A x = b for a symmetric matrix that may be only just definite (A = L D L^T with pivots).
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd solve_symmetric_columns(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// The eigenvalues of a symmetric matrix from the smallest to the largest, and its eigenvectors as
/// columns in the same order.
struct SymmetricEigen {
  bool succeeded = false;
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  ///< empty where only the values were asked for
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);
SymmetricEigen symmetric_eigenvalues(const Eigen::MatrixXd& A);

/// For any square matrix, by an LU factorisation with partial pivoting.
Eigen::VectorXd solve_square(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd solve_square_columns(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::MatrixXd inverse_of_square(const Eigen::MatrixXd& A);
double log_abs_determinant(const Eigen::MatrixXd& A);
/// The inverse by full pivoting, or an empty matrix where A has not full rank.
Eigen::MatrixXd inverse_or_empty(const Eigen::MatrixXd& A);

/// The x that makes |A x - b| least, and of several such the one of least norm; A may have any
/// shape and rank.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd least_squares_columns(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// The inverse of an upper triangular matrix, exactly zero below the diagonal.
Eigen::MatrixXd inverse_of_upper(const Eigen::MatrixXd& upper);

/// R of M = Q R for a matrix with at least as many rows as columns: upper triangular with a
/// diagonal that is not negative, R^T R = M^T M. More stable than a Cholesky factorisation of
/// M^T M.
Eigen::MatrixXd upper_factor(const Eigen::MatrixXd& M);

}  // namespace epsfree
