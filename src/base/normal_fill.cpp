#include <algorithm>

#include "base/cpu.hpp"
#include "base/normal_kernel.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

template <class T>
using Kernel = void (*)(std::uint64_t key, std::uint64_t block, T* values);

template <class T>
void expand(std::uint64_t key, T* values, std::size_t count) {
  const Kernel<T> kernel = EPSFREE_BEST_KERNEL(Kernel<T>, normal_block);
  std::uint64_t block = 0;
  for (; count >= kNormalBlock; count -= kNormalBlock, values += kNormalBlock) {
    kernel(key, block++, values);
  }
  if (count == 0) return;
  T last[kNormalBlock];  // the same code for a partial block: the same bits
  kernel(key, block, last);
  std::copy_n(last, count, values);
}

}  // namespace

void expand_normal(std::uint64_t key, float* values, std::size_t count) {
  expand(key, values, count);
}
void expand_normal(std::uint64_t key, double* values, std::size_t count) {
  expand(key, values, count);
}

void Stream::fill_normal(std::span<float> values) {
  expand_normal(bits64(), values.data(), values.size());
}
void Stream::fill_normal(std::span<double> values) {
  expand_normal(bits64(), values.data(), values.size());
}

}  // namespace epsfree
