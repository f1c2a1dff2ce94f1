#include <algorithm>

#include "base/cpu.hpp"
#include "base/noise.hpp"
#include "base/noise_kernel.hpp"
#include "base/normal_kernel.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

template <class T>
using Kernel = void (*)(std::uint64_t key, std::uint64_t block, T* values);

template <std::size_t kBlock, class T>
void expand(Kernel<T> kernel, std::uint64_t key, T* values, std::size_t count) {
  std::uint64_t block = 0;
  for (; count >= kBlock; count -= kBlock, values += kBlock) kernel(key, block++, values);
  if (count == 0) return;
  T last[kBlock];  // the same code for a partial block: the same bits
  kernel(key, block, last);
  std::copy_n(last, count, values);
}

}  // namespace

void expand_normal(std::uint64_t key, float* values, std::size_t count) {
  expand<kNormalBlock>(EPSFREE_BEST_KERNEL(Kernel<float>, normal_block), key, values, count);
}
void expand_normal(std::uint64_t key, double* values, std::size_t count) {
  expand<kNormalBlock>(EPSFREE_BEST_KERNEL(Kernel<double>, normal_block), key, values, count);
}

void Stream::fill_normal(std::span<float> values) {
  expand_normal(bits64(), values.data(), values.size());
}
void Stream::fill_normal(std::span<double> values) {
  expand_normal(bits64(), values.data(), values.size());
}

void fill_noise(Stream& stream, std::span<float> values) {
  expand<kNoiseBlock>(EPSFREE_BEST_KERNEL(Kernel<float>, noise_block), stream.bits64(),
                      values.data(), values.size());
}
void fill_noise(Stream& stream, std::span<double> values) { stream.fill_normal(values); }

}  // namespace epsfree
