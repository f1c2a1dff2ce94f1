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
  const uint64_t first = block * kLanes;  // ends in zeros: the lanes cause no carry
  uint32_t words[4][kLanes];
  philox4x32_run<kRounds, kLanes>(key, static_cast<uint32_t>(first),
                                  static_cast<uint32_t>(first >> 32), words);
  for (int pair = 0; pair < 2; ++pair) {
    const uint32_t* a = words[2 * pair];
    const uint32_t* b = words[2 * pair + 1];
    float* __restrict x = values + 2 * pair * kLanes;
    float* __restrict y = x + kLanes;
    for (int lane = 0; lane < kLanes; ++lane) lane_box_muller(a[lane], b[lane], x[lane], y[lane]);
  }
}

void normal_block(uint64_t key, uint64_t block, double* values) {
  constexpr int kLanes = kNormalBlock / 2;
  const uint64_t first = block * kLanes;
  uint32_t words[4][kLanes];
  philox4x32_run<kRounds, kLanes>(key, static_cast<uint32_t>(first),
                                  static_cast<uint32_t>(first >> 32), words);
  double* __restrict x = values;
  double* __restrict y = values + kLanes;
  for (int lane = 0; lane < kLanes; ++lane) {
    const PhiloxBlock bits{words[0][lane], words[1][lane], words[2][lane], words[3][lane]};
    lane_box_muller(bits.low(), bits.high(), x[lane], y[lane]);
  }
}

}  // namespace epsfree::EPSFREE_ISA
