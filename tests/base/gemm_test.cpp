#include "base/gemm.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <thread>

#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

using Eigen::Index;

template <class T>
class Gemm : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Gemm, Scalars);

// All transpositions, with strides larger than the matrices, against sums written out.
TYPED_TEST(Gemm, MatchesTheDefinition) {
  using T = TypeParam;
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const SingleThreadedGemm single;
  Stream stream(1);
  const Index m = 19, n = 7, k = 300;
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const auto random = [&](Index rows, Index cols) {
        Matrix values(rows + 3, cols);
        for (Index i = 0; i < values.size(); ++i) {
          values.data()[i] = static_cast<T>(stream.normal());
        }
        return values;
      };
      const Matrix a = transpose_a ? random(k, m) : random(m, k);
      const Matrix b = transpose_b ? random(n, k) : random(k, n);
      Matrix c = random(m, n);
      for (const T beta : {T(0), T(1)}) {
        const Matrix before = c;
        gemm(m, n, k, {a.data(), a.rows(), transpose_a}, {b.data(), b.rows(), transpose_b}, beta,
             c.data(), c.rows());
        for (Index i = 0; i < m; ++i) {
          for (Index j = 0; j < n; ++j) {
            double sum = beta * before(i, j);
            for (Index l = 0; l < k; ++l) {
              sum += static_cast<double>(transpose_a ? a(l, i) : a(i, l)) *
                     static_cast<double>(transpose_b ? b(j, l) : b(l, j));
            }
            const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-12;
            ASSERT_NEAR(c(i, j), sum, tolerance) << transpose_a << transpose_b << beta;
          }
        }
        EXPECT_EQ(c.bottomRows(3), before.bottomRows(3));
      }
    }
  }
}

// The number of threads is a setting of the process, which NumPy may share: it is one while a
// product may be made in any thread, and what it was afterwards.
TEST(SingleThreadedGemm, GivesTheThreadsBack) {
  const auto get =
      reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));  // NOLINT
  const auto set =
      reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));  // NOLINT
  if (get == nullptr || set == nullptr) GTEST_SKIP() << "built without OpenBLAS";
  const int before = get();
  set(2);
  {
    const SingleThreadedGemm outer;
    EXPECT_EQ(get(), 1);
    { const SingleThreadedGemm inner; }
    EXPECT_EQ(get(), 1);
    std::thread([] { const SingleThreadedGemm elsewhere; }).join();
    EXPECT_EQ(get(), 1);
  }
  EXPECT_EQ(get(), 2);
  set(before);
}

}  // namespace
}  // namespace epsfree
