// Matrix products of training: single-threaded OpenBLAS where it was found, else Eigen.
#pragma once

#include <Eigen/Core>

namespace epsfree {

/// A matrix in column-major storage with its transposition.
template <class T>
struct MatrixView {
  const T* data;
  Eigen::Index stride;  ///< from one column of the storage to the next
  bool transposed = false;

  MatrixView transpose() const { return {data, stride, !transposed}; }
};

/// C (m x n, column-major with stride ldc) = A (m x k) B (k x n) + beta C, beta zero or one. Never
/// uses more than one thread while a SingleThreadedGemm is held, so that sums do not depend on the
/// number of threads of the process.
void gemm(Eigen::Index m, Eigen::Index n, Eigen::Index k, MatrixView<float> A, MatrixView<float> B,
          float beta, float* C, Eigen::Index ldc);
void gemm(Eigen::Index m, Eigen::Index n, Eigen::Index k, MatrixView<double> A,
          MatrixView<double> B, double beta, double* C, Eigen::Index ldc);

/// To be held while products are made: holds OpenBLAS to one thread and sets it back to the number
/// that it found, or pins the cache sizes from which Eigen 3.4 picks its blocking. Both are
/// settings of the whole process: other users of OpenBLAS in it, NumPy say, have one thread
/// meanwhile. Cheap, and may be held in several threads at once, so that every public operation can
/// hold one.
class SingleThreadedGemm {
 public:
  SingleThreadedGemm();
  ~SingleThreadedGemm();
  SingleThreadedGemm(const SingleThreadedGemm&) = delete;
  SingleThreadedGemm& operator=(const SingleThreadedGemm&) = delete;
};

/// "OpenBLAS <core>" or "Eigen", for reports of benchmarks.
const char* gemm_backend();

}  // namespace epsfree
