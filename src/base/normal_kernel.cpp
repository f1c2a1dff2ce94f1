// Compiled once per instruction set: see cmake/kernels.cmake for what may be included here.
#include "base/normal_kernel.hpp"

#include "base/philox_lanes.hpp"
#include "base/vector_math.hpp"

namespace epsfree::EPSFREE_ISA {

// Seven rounds: the stream that drew the key has ten, and noise of this quality passes BigCrush.
constexpr int kRounds = 7;

void normal_block(uint64_t key, uint64_t block, float* values) {
  // One Philox block is four normals; each of the four goes to its own quarter, so that stores are
  // contiguous across lanes.
  constexpr int kLanes = kNormalBlock / 4;
  const uint32_t low = static_cast<uint32_t>(block * kLanes);  // ends in zeros: no carry from lanes
  const uint32_t high = static_cast<uint32_t>((block * kLanes) >> 32);
  const uint32_t k = static_cast<uint32_t>(key), l = static_cast<uint32_t>(key >> 32);
  for (int lane = 0; lane < kLanes; ++lane) {
    const PhiloxBlock bits =
        philox4x32<kRounds>(k, l, low + static_cast<unsigned>(lane), high, 0, 0);
    float w, x, y, z;
    lane_box_muller(bits.a, bits.b, w, x);
    lane_box_muller(bits.c, bits.d, y, z);
    values[lane] = w;
    values[lane + kLanes] = x;
    values[lane + 2 * kLanes] = y;
    values[lane + 3 * kLanes] = z;
  }
}

void normal_block(uint64_t key, uint64_t block, double* values) {
  constexpr int kLanes = kNormalBlock / 2;
  const uint32_t low = static_cast<uint32_t>(block * kLanes);  // ends in zeros: no carry from lanes
  const uint32_t high = static_cast<uint32_t>((block * kLanes) >> 32);
  const uint32_t k = static_cast<uint32_t>(key), l = static_cast<uint32_t>(key >> 32);
  for (int lane = 0; lane < kLanes; ++lane) {
    const PhiloxBlock bits =
        philox4x32<kRounds>(k, l, low + static_cast<unsigned>(lane), high, 0, 0);
    double x, y;
    lane_box_muller(bits.low(), bits.high(), x, y);
    values[lane] = x;
    values[lane + kLanes] = y;
  }
}

}  // namespace epsfree::EPSFREE_ISA
