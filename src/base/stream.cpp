#include "epsfree/stream.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace epsfree {

Stream::Stream(std::uint64_t seed, const Key& key)
    : seed_(seed),
      counter_{0, key.index, (static_cast<std::uint64_t>(key.replicate) << 32) | key.round,
               static_cast<std::uint64_t>(key.purpose)},
      block_{} {}

Stream Stream::beginning_with(std::uint64_t first) {
  Stream stream(first);
  stream.block_[3] = first;
  stream.used_ = 3;
  return stream;
}

void Stream::refill() {
  using Generator = r123::Philox4x64;  // ten rounds
  const Generator::ctr_type counter = {{counter_[0], counter_[1], counter_[2], counter_[3]}};
  const Generator::key_type key = {{seed_, 0}};
  const Generator::ctr_type block = Generator()(counter, key);
  for (int i = 0; i < 4; ++i) block_[i] = block[static_cast<std::size_t>(i)];
  ++counter_[0];
  used_ = 0;
}

double Stream::normal() {
  if (!std::isnan(spare_normal_)) {
    const double value = spare_normal_;
    spare_normal_ = std::numeric_limits<double>::quiet_NaN();
    return value;
  }
  // Box & Muller (1958): two at a time, no rejection, so the number of draws is always the same.
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

double Stream::exponential() { return -std::log(uniform()); }

std::uint64_t Stream::below(std::uint64_t count) {
  // Lemire (2019): the high word of a 128-bit product; low words below `threshold` would be biased.
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(bits64()) * count;
  if (static_cast<std::uint64_t>(product) < count) {
    const std::uint64_t threshold = (0 - count) % count;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>(bits64()) * count;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace epsfree
