// The lane functions of src/base/vector_math.hpp and philox_lanes.hpp as arrays, per instruction
// set.
#pragma once

#include <cstdint>

namespace epsfree {

#define EPSFREE_DECLARE_LANE_TESTS(isa)                                               \
  namespace isa {                                                                     \
  void exp_array(const float* x, float* y, int n);                                    \
  void exp_array(const double* x, double* y, int n);                                  \
  void log_array(const float* x, float* y, int n);                                    \
  void log_array(const double* x, double* y, int n);                                  \
  void tanh_array(const float* x, float* y, int n);                                   \
  void tanh_array(const double* x, double* y, int n);                                 \
  void sincos_array(const uint32_t* turn, float* s, float* c, int n);                 \
  void sincos_array(const uint64_t* turn, double* s, double* c, int n);               \
  void philox7_array(const uint64_t* key, const uint64_t* low, const uint64_t* high,  \
                     uint32_t* words, int n);                                         \
  void philox10_array(const uint64_t* key, const uint64_t* low, const uint64_t* high, \
                      uint32_t* words, int n);                                        \
  }
EPSFREE_DECLARE_LANE_TESTS(baseline)
EPSFREE_DECLARE_LANE_TESTS(avx2)
EPSFREE_DECLARE_LANE_TESTS(avx512)
#undef EPSFREE_DECLARE_LANE_TESTS

}  // namespace epsfree
