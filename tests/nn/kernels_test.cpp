// The kernels of every instruction set that this CPU has, against those of the baseline.
#include "nn/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "epsfree/stream.hpp"
#include "nn/kernel_choice.hpp"

namespace epsfree {
namespace {

constexpr ptrdiff_t kSize = 1237;  // no multiple of any vector

template <class T>
using Arrays = std::vector<std::vector<T>>;

template <class T>
std::vector<T> normals(std::uint64_t seed, ptrdiff_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  Stream(seed).fill_normal(values);
  return values;
}

// Everything that the kernels write, for the same input.
template <class T>
Arrays<T> run_all(const Kernels<T>& kernel) {
  const std::vector<T> a = normals<T>(1, kSize), b = normals<T>(2, kSize);
  std::vector<T> positive = b;
  for (T& x : positive) x = x * x + T(0.01);
  Arrays<T> results;
  const auto keep = [&](std::vector<T> values) { results.push_back(std::move(values)); };
  const std::vector<T> empty(static_cast<std::size_t>(kSize));

  std::vector<T> x = empty, y = empty, z = empty;
  double sums[3] = {0, 0, 0};
  kernel.variances(a.data(), b.data(), x.data(), kSize, sums);
  keep(x);
  keep({static_cast<T>(sums[0]), static_cast<T>(sums[1]), static_cast<T>(sums[2])});
  x = a, y = b;
  kernel.add_kl_gradient(a.data(), positive.data(), T(0.1), T(0.7), x.data(), y.data(), kSize);
  keep(x), keep(y);
  x = a, y = b;
  kernel.perturb(x.data(), positive.data(), y.data(), kSize);
  keep(x), keep(y);
  for (const auto function : {kernel.perturb_tanh, kernel.perturb_relu}) {
    x = empty, y = empty, z = b;
    function(a.data(), positive.data(), z.data(), x.data(), y.data(), kSize);
    keep(x), keep(y), keep(z);
  }
  for (const auto function : {kernel.tanh, kernel.relu}) {
    function(a.data(), x.data(), kSize);
    keep(x);
  }
  for (const auto function : {kernel.tanh_backward, kernel.relu_backward}) {
    x = b;
    function(a.data(), x.data(), kSize);
    keep(x);
  }
  for (const auto function : {kernel.perturbed_tanh_backward, kernel.perturbed_relu_backward}) {
    x = b, y = positive;
    function(a.data(), b.data(), x.data(), y.data(), kSize);
    keep(x), keep(y);
  }
  keep(
      {kernel.finite_check(a.data(), kSize), static_cast<T>(kernel.squared_norm(a.data(), kSize))});
  const AdamStep step{.rate = 0.01,
                      .mean_decay = 0.9,
                      .square_decay = 0.999,
                      .mean_correction = 10,
                      .square_correction = 1000,
                      .epsilon = 1e-8,
                      .gradient_scale = 0.5};
  x = b, y = a, z = positive;
  kernel.adam(step, x.data(), a.data(), y.data(), z.data(), kSize);
  keep(x), keep(y), keep(z);

  for (const int K : {1, 3}) {
    const int D = 2;
    const ptrdiff_t rows = 37, columns = (K > 1 ? K : 0) + 5 * K;
    const std::vector<T> outputs = normals<T>(3, rows * columns), targets = normals<T>(4, rows * D);
    std::vector<T> log_probs(rows), d_outputs(outputs.size()), d_targets(targets.size());
    std::vector<T> scratch(static_cast<std::size_t>(kDensityLanes * K * (2 * D + 1)));
    kernel.density({rows, rows, D, K, outputs.data(), targets.data(), a.data(), scratch.data(),
                    log_probs.data(), d_outputs.data(), d_targets.data()});
    keep(log_probs), keep(d_outputs), keep(d_targets);
  }
  return results;
}

template <class T>
void compare(double tolerance) {
  const Arrays<T> expected = run_all(kernels_for<T>(Isa::baseline));
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa > best_isa()) continue;
    const Arrays<T> results = run_all(kernels_for<T>(isa));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t j = 0; j < expected[i].size(); ++j) {
        const double value = static_cast<double>(expected[i][j]);
        ASSERT_NEAR(static_cast<double>(results[i][j]), value, tolerance * (1 + std::abs(value)))
            << to_string(isa) << " output " << i << " element " << j;
      }
    }
  }
}

TEST(Kernels, InstructionSetsAgreeInFloat) { compare<float>(2e-5); }
TEST(Kernels, InstructionSetsAgreeInDouble) { compare<double>(1e-13); }

// Every number of rows that makes another tile, against sums written out; nothing beside C is
// touched. Mutation seen to fail: the rest's mask without its last row.
TEST(Kernels, ProductsMatchTheDefinition) {
  const Kernels<float>& kernel = kernels<float>();
  if (kernel.product == nullptr) GTEST_SKIP() << "this CPU leaves products to gemm";
  const ptrdiff_t depth = 9;
  for (const ptrdiff_t rows :
       {1, 4, 5, 8, 9, 16, 17, 22, 47, 51, 64, 70, 80, 95, 100, 111, 112, 250}) {
    for (const ptrdiff_t columns : {1, 2, 3, 7, 14, 29}) {
      const ptrdiff_t a_stride = rows + 2, b_stride = depth + 1, c_stride = rows + 3;
      const std::vector<float> a = normals<float>(1, a_stride * depth);
      const std::vector<float> b = normals<float>(2, b_stride * columns);
      std::vector<float> c(static_cast<std::size_t>(c_stride * columns), 77.0f);
      kernel.product(rows, columns,
                     {a.data(), a_stride, b.data(), b_stride, depth, c.data(), c_stride});
      for (ptrdiff_t j = 0; j < columns; ++j) {
        for (ptrdiff_t i = 0; i < c_stride; ++i) {
          double sum = i < rows ? 0 : 77;
          for (ptrdiff_t k = 0; i < rows && k < depth; ++k) {
            sum += static_cast<double>(a[static_cast<std::size_t>(k * a_stride + i)]) *
                   static_cast<double>(b[static_cast<std::size_t>(j * b_stride + k)]);
          }
          ASSERT_NEAR(c[static_cast<std::size_t>(j * c_stride + i)], sum, 1e-5)
              << rows << " x " << columns << " at " << i << ", " << j;
        }
      }
    }
  }
}

TEST(Kernels, TransposesAndSquares) {
  const Kernels<float>& kernel = kernels<float>();
  if (kernel.transpose == nullptr) GTEST_SKIP() << "this CPU leaves products to gemm";
  for (const ptrdiff_t rows : {1, 15, 16, 33, 100}) {
    for (const ptrdiff_t columns : {1, 9, 16, 51}) {
      const ptrdiff_t stride = rows + 1, to_stride = columns + 5;
      const std::vector<float> from = normals<float>(1, stride * columns);
      std::vector<float> to(static_cast<std::size_t>(to_stride * rows), 77.0f), squares = to;
      kernel.transpose(rows, columns, {from.data(), stride, to.data(), squares.data(), to_stride});
      for (ptrdiff_t i = 0; i < rows; ++i) {
        for (ptrdiff_t j = 0; j < to_stride; ++j) {
          const auto at = static_cast<std::size_t>(i * to_stride + j);
          const float x = j < columns ? from[static_cast<std::size_t>(j * stride + i)] : 77.0f;
          ASSERT_EQ(to[at], x) << rows << " x " << columns;
          ASSERT_EQ(squares[at], j < columns ? x * x : 77.0f) << rows << " x " << columns;
        }
      }
    }
  }
}

TEST(Kernels, FiniteCheckSeesEveryPlace) {
  const Kernels<float>& kernel = kernels<float>();
  std::vector<float> x(21, 1.0f);
  EXPECT_EQ(kernel.finite_check(x.data(), 21), 0.0f);
  for (const float bad : {std::nanf(""), INFINITY, 1e30f}) {  // 1e30 squared overflows
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = bad;
      EXPECT_TRUE(std::isnan(kernel.finite_check(x.data(), 21))) << i;
      x[i] = 1.0f;
    }
  }
}

// Mutation seen to fail: the logarithm of the sum, which makes a number of NaN.
template <class T>
void expect_nan_stays() {
  constexpr int D = 2, K = 3;
  constexpr ptrdiff_t kRows = 16, kColumns = K + 5 * K;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (isa > best_isa()) continue;
    const Kernels<T> kernel = kernels_for<T>(isa);
    for (ptrdiff_t column = 0; column < kColumns; ++column) {
      std::vector<T> outputs = normals<T>(3, kRows * kColumns);
      const std::vector<T> targets = normals<T>(4, kRows * D), ones(kRows, T(1));
      std::vector<T> log_probs(kRows), scratch(kDensityLanes * K * (2 * D + 1));
      outputs[static_cast<std::size_t>(column * kRows + 5)] = std::numeric_limits<T>::quiet_NaN();
      kernel.density({kRows, kRows, D, K, outputs.data(), targets.data(), ones.data(),
                      scratch.data(), log_probs.data(), nullptr, nullptr});
      for (std::size_t row = 0; row < kRows; ++row) {
        EXPECT_EQ(std::isnan(log_probs[row]), row == 5) << to_string(isa) << " column " << column;
      }
    }
  }
}

TEST(Kernels, NanInAnyOutputMakesTheDensityNan) {
  expect_nan_stays<float>();
  expect_nan_stays<double>();
}

}  // namespace
}  // namespace epsfree
