#include "base/gemm.hpp"

#include "base/numerics.hpp"

#if defined(EPSFREE_HAVE_OPENBLAS)

#include <cblas.h>

#include <mutex>
#include <string>

namespace epsfree {
namespace {

CBLAS_TRANSPOSE operation(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }
int to_int(Eigen::Index value) { return static_cast<int>(value); }

/// The one setting of OpenBLAS that belongs to the whole process, while it is ours.
struct ProcessThreads {
  std::mutex mutex;
  int num_users = 0;
  int found = 1;  // the number to set back
};

ProcessThreads& process_threads() {
  static ProcessThreads threads;
  return threads;
}

}  // namespace

void gemm(Eigen::Index m, Eigen::Index n, Eigen::Index k, MatrixView<float> A, MatrixView<float> B,
          float beta, float* C, Eigen::Index ldc) {
  cblas_sgemm(CblasColMajor, operation(A.transposed), operation(B.transposed), to_int(m), to_int(n),
              to_int(k), 1.0f, A.data, to_int(A.stride), B.data, to_int(B.stride), beta, C,
              to_int(ldc));
}

void gemm(Eigen::Index m, Eigen::Index n, Eigen::Index k, MatrixView<double> A,
          MatrixView<double> B, double beta, double* C, Eigen::Index ldc) {
  cblas_dgemm(CblasColMajor, operation(A.transposed), operation(B.transposed), to_int(m), to_int(n),
              to_int(k), 1.0, A.data, to_int(A.stride), B.data, to_int(B.stride), beta, C,
              to_int(ldc));
}

// OpenBLAS 0.3.21 knows a number of threads per process only, and two trainings may go on in two
// threads: the first that comes sets the number, the last that leaves sets it back.
SingleThreadedGemm::SingleThreadedGemm() {
  ProcessThreads& threads = process_threads();
  const std::lock_guard lock(threads.mutex);
  if (threads.num_users++ > 0) return;
  threads.found = openblas_get_num_threads();
  if (threads.found != 1) openblas_set_num_threads(1);
}

SingleThreadedGemm::~SingleThreadedGemm() {
  ProcessThreads& threads = process_threads();
  const std::lock_guard lock(threads.mutex);
  if (--threads.num_users == 0 && threads.found != 1) openblas_set_num_threads(threads.found);
}

const char* gemm_backend() {
  static const std::string name = std::string("OpenBLAS ") + openblas_get_corename();
  return name.c_str();
}

}  // namespace epsfree

#else

#include <Eigen/Core>

namespace epsfree {
namespace {

template <class T>
void eigen_gemm(Eigen::Index m, Eigen::Index n, Eigen::Index k, MatrixView<T> A, MatrixView<T> B,
                T beta, T* C, Eigen::Index ldc) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Map = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  const auto map = [](MatrixView<T> view, Eigen::Index rows, Eigen::Index cols) {
    if (view.transposed) std::swap(rows, cols);
    return Map(view.data, rows, cols, Eigen::OuterStride<>(view.stride));
  };
  const Map a = map(A, m, k);
  const Map b = map(B, k, n);
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> c(C, m, n, Eigen::OuterStride<>(ldc));
  if (beta == T(0)) c.setZero();
  if (A.transposed) {
    if (B.transposed) {
      c.noalias() += a.transpose() * b.transpose();
    } else {
      c.noalias() += a.transpose() * b;
    }
  } else if (B.transposed) {
    c.noalias() += a * b.transpose();
  } else {
    c.noalias() += a * b;
  }
}

}  // namespace

void gemm(Eigen::Index m, Eigen::Index n, Eigen::Index k, MatrixView<float> A, MatrixView<float> B,
          float beta, float* C, Eigen::Index ldc) {
  eigen_gemm(m, n, k, A, B, beta, C, ldc);
}

void gemm(Eigen::Index m, Eigen::Index n, Eigen::Index k, MatrixView<double> A,
          MatrixView<double> B, double beta, double* C, Eigen::Index ldc) {
  eigen_gemm(m, n, k, A, B, beta, C, ldc);
}

SingleThreadedGemm::SingleThreadedGemm() { pin_numerics(); }
SingleThreadedGemm::~SingleThreadedGemm() = default;

const char* gemm_backend() { return "Eigen"; }

}  // namespace epsfree

#endif
