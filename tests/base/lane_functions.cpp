// Compiled once per instruction set, like any kernel file.
#include "lane_functions.hpp"

#include "base/philox_lanes.hpp"
#include "base/vector_math.hpp"

namespace epsfree::EPSFREE_ISA {

template <class T, class F>
static inline void map(const T* __restrict x, T* __restrict y, int n, F f) {
  for (int i = 0; i < n; ++i) y[i] = f(x[i]);
}
#define EPSFREE_ARRAY(name, function)                   \
  void name(const float* x, float* y, int n) {          \
    map(x, y, n, [](float v) { return function(v); });  \
  }                                                     \
  void name(const double* x, double* y, int n) {        \
    map(x, y, n, [](double v) { return function(v); }); \
  }
EPSFREE_ARRAY(exp_array, lane_exp)
EPSFREE_ARRAY(log_array, lane_log)
EPSFREE_ARRAY(tanh_array, lane_tanh)
#undef EPSFREE_ARRAY

void sincos_array(const uint32_t* turn, float* s, float* c, int n) {
  for (int i = 0; i < n; ++i) lane_sincos_turn(turn[i], s[i], c[i]);
}
void sincos_array(const uint64_t* turn, double* s, double* c, int n) {
  for (int i = 0; i < n; ++i) lane_sincos_turn(turn[i], s[i], c[i]);
}

template <int kRounds>
static inline void philox_array(const uint64_t* key, const uint64_t* low, const uint64_t* high,
                                uint32_t* words, int n) {
  for (int i = 0; i < n; ++i) {
    const PhiloxBlock block = philox4x32<kRounds>(key[i], low[i], high[i]);
    words[4 * i] = block.a;
    words[4 * i + 1] = block.b;
    words[4 * i + 2] = block.c;
    words[4 * i + 3] = block.d;
  }
}
void philox7_array(const uint64_t* key, const uint64_t* low, const uint64_t* high, uint32_t* words,
                   int n) {
  philox_array<7>(key, low, high, words, n);
}
void philox10_array(const uint64_t* key, const uint64_t* low, const uint64_t* high, uint32_t* words,
                    int n) {
  philox_array<10>(key, low, high, words, n);
}

}  // namespace epsfree::EPSFREE_ISA
