// The vectorised Gillespie simulation behind the Lotka-Volterra model.
#pragma once

#include <stdint.h>

namespace epsfree {

/// Recorded values of each population: at times 0, 0.2, ..., 30.
inline constexpr int kLotkaVolterraRecords = 151;
/// A run with more reactions than this is given up: part of the model.
inline constexpr int kLotkaVolterraMaxReactions = 10000;

/// The populations of one run at the recorded times. 50 and 100 plus at most 10,000 births each.
struct LotkaVolterraSeries {
  uint16_t predators[kLotkaVolterraRecords];
  uint16_t prey[kLotkaVolterraRecords];
};

// Simulates `count` runs: run i has the reaction rates rates[4 i] .. rates[4 i + 3] (finite, not
// negative, at most 1e29) and the random numbers that keys[i] names, and depends on nothing else.
// finished[i] says whether it kept within kLotkaVolterraMaxReactions; if not, series[i] is partial.
#define EPSFREE_DECLARE_LOTKA_VOLTERRA_KERNEL(isa)                                  \
  namespace isa {                                                                   \
  void simulate_lotka_volterra(int count, const float* rates, const uint64_t* keys, \
                               LotkaVolterraSeries* series, bool* finished);        \
  }
EPSFREE_DECLARE_LOTKA_VOLTERRA_KERNEL(baseline)
EPSFREE_DECLARE_LOTKA_VOLTERRA_KERNEL(avx2)
EPSFREE_DECLARE_LOTKA_VOLTERRA_KERNEL(avx512)
#undef EPSFREE_DECLARE_LOTKA_VOLTERRA_KERNEL

}  // namespace epsfree
