/* Two parameters and a seed into three statistics, the same bits in C, C++ and Python
 * (toy_simulator.py): no sum of products that a compiler may contract. */
#ifndef EPSFREE_TESTS_TOY_SIMULATOR_H
#define EPSFREE_TESTS_TOY_SIMULATOR_H

#include <stdint.h>

#define TOY_PARAMETERS 2
#define TOY_STATISTICS 3

/* Steele, Lea & Flood (2014), SplitMix64; 53 bits of it. */
static inline double toy_uniform(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-53;
}

static inline void toy_simulate(const double* theta, uint64_t seed, double* x) {
  uint64_t state = seed;
  x[0] = theta[0] + toy_uniform(&state);
  x[1] = theta[1] / (1 + toy_uniform(&state));
  x[2] = toy_uniform(&state) * -1e-300;
}

#endif
